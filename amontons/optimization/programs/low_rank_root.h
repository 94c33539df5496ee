#pragma once

#include <Eigen/Core>

namespace amontons {

/// Returns J [n x r] with W = J J' up to rounding and r the rank of W, by Cholesky's method with
/// complete pivoting at unit diagonal. Rows of W that are zero or repeat another stay so bit by
/// bit, which eigenvectors would blur: pivoting on the blur fails. Negative parts of W, which are
/// rounding, are dropped, and with them what is no larger. O(n^2 r).
/// @param W  [n x n], symmetric positive semidefinite up to rounding.
Eigen::MatrixXd low_rank_root(const Eigen::MatrixXd& W);

}  // namespace amontons
