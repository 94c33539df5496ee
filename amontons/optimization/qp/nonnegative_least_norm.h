#pragma once

#include "amontons/math/solve_status.h"

#include <Eigen/Core>

#include <limits>

namespace amontons {

/// Holds the shortest solution.
struct NonnegativeLeastNorm {
  SolveStatus status = SolveStatus::NotRun;                    ///< Converged or Stalled
  Eigen::VectorXd r;                                           ///< [n], >= 0
  double residual = std::numeric_limits<double>::quiet_NaN();  ///< |X r - b| / max(|b|, |center|)
  int iterations = 0;                                          ///< Newton steps
  Eigen::VectorXd y;                                           ///< [m], r = max(0, center + X'y)
};

/// Finds the shortest nonnegative solution of a few equations in many unknowns:
///
///   min 1/2 |r|^2   subject to   X r = b,  r >= 0        [Lawson, Hanson 1974, ch. 23]
///
/// for a b in the cone of X's columns. r = max(0, X'y) with a y that maximizes
/// b'y - 1/2 |max(0, X'y)|^2. The method is semismooth Newton on m unknowns, with an exact search
/// along each step. The solution is unique, and independent of the order of columns. O(n m^2) per
/// step, usually below ten of them.
///
/// least_norm.h solves the same problem for cones of three rows on sparse equations, with a ridge
/// and a search for sufficient ascent, to 1e-10. Here the function is piecewise quadratic along a
/// line, and its maximum there is known. The residual reaches 1e-13, which separates a load from
/// none.
///
/// @param X  [m x n], columns near 1 or zero.
[[nodiscard]] NonnegativeLeastNorm solve_nonnegative_least_norm(
    const Eigen::Ref<const Eigen::MatrixXd>& X, const Eigen::Ref<const Eigen::VectorXd>& b);

/// Finds the nonnegative solution nearest to a center [n], min 1/2 |r - center|^2, by the same
/// method. With b = 0 and a center of zeros and ones it is zero only if X'y separates the ones: no
/// nonnegative r with X r = 0 is positive at any of them (Farkas).
[[nodiscard]] NonnegativeLeastNorm solve_nonnegative_nearest(
    const Eigen::Ref<const Eigen::MatrixXd>& X, const Eigen::Ref<const Eigen::VectorXd>& b,
    const Eigen::Ref<const Eigen::VectorXd>& center);

}  // namespace amontons
