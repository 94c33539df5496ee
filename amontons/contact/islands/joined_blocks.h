#pragma once

#include "amontons/math/block_diagonal_matrix.h"
#include "amontons/math/block_sparse_matrix.h"
#include "amontons/math/disjoint_sets.h"

#include <vector>

namespace amontons {

/// Returns the index of the block of M that holds each velocity coordinate [nv].
std::vector<int> block_of_column(const BlockDiagonalMatrix& mass_matrix);
/// Writes the same into `block_of`, whose memory is kept.
void find_blocks_of_columns(const BlockDiagonalMatrix& mass_matrix, std::vector<int>& block_of);

/// Joins the blocks of M that share a row of a Jacobian.
/// @param block_of  block of each velocity coordinate [nv].
void join_blocks_of_rows(const BlockSparseMatrix& jacobian, const std::vector<int>& block_of,
                         DisjointSets& sets);

}  // namespace amontons
