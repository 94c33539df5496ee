#pragma once

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Holds a maximal linearly independent subset of rows, and the factor of their Gram matrix.
struct IndependentRows {
  std::vector<Eigen::Index> indices;  ///< [r], ascending
  /// L [r x r], lower triangular, L L' = the Gram matrix of the kept rows in that order.
  Eigen::MatrixXd factor;
};

/// Chooses independent rows of a matrix X from its Gram matrix X W X' (W positive definite), e.g.
/// the joint rows to keep of J M^-1 J'.
///
/// The method is diagonally pivoted incremental Cholesky on the correlation matrix
/// G_ij / sqrt(G_ii G_jj). Each round adds the row with the largest squared sine of its angle to
/// those already kept, until none exceeds the threshold. If several are equal, the first one is
/// added. Rows may thus have different units and sizes; rows with G_ii <= 0 count as zero. O(n
/// r^2).
///
/// @param gram  [n x n], symmetric positive semidefinite up to rounding; the lower triangle is
/// read.
/// @param relative_threshold  on the squared sine [-], in [1e-14, 1): dependence below is rounding.
/// @throws std::invalid_argument if gram is not square or not finite, or the threshold out of
/// range.
IndependentRows independent_rows(const Eigen::MatrixXd& gram, double relative_threshold = 1e-10);

}  // namespace amontons
