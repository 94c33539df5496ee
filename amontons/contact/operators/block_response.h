#pragma once

#include "amontons/math/block_diagonal_factor.h"
#include "amontons/math/block_sparse_matrix.h"

#include <Eigen/Core>

#include <cstddef>
#include <vector>

namespace amontons {

/// Holds the response of one articulation to a block row of a Jacobian.
struct BlockResponse {
  std::size_t block = 0;     ///< index of the articulation in the mass matrix
  Eigen::MatrixXd jacobian;  ///< J_b, its columns of the block row [r x n_b]
  Eigen::MatrixXd response;  ///< M_b^-1 J_b' [n_b x r]
};

/// Returns the responses to a block row, one entry per articulation that it touches, ascending.
std::vector<BlockResponse> block_responses(const BlockSparseMatrix& jacobian, std::size_t block_row,
                                           const BlockDiagonalFactor& mass_factor);

}  // namespace amontons
