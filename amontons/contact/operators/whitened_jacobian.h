#pragma once

#include "amontons/math/block_diagonal_factor.h"
#include "amontons/math/block_sparse_matrix.h"

namespace amontons {

/// Computes G = J L^-1 with M = L' L, so that J M^-1 J' = G G'. Each block row has one block per
/// articulation that it touches, ascending, over all of its columns. The memory of `whitened` is
/// kept.
void whiten_jacobian(const BlockSparseMatrix& jacobian, const BlockDiagonalFactor& mass_factor,
                     BlockSparseMatrix& whitened);

}  // namespace amontons
