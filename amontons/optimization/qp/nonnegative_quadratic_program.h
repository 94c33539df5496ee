#pragma once

#include "amontons/optimization/qp/box_qp.h"

#include <Eigen/Core>

namespace amontons {

/// States a convex quadratic program over the nonnegative orthant:
/// min 1/2 y'H y + g'y  subject to  y >= 0.
///
/// Its optimality conditions are the LCP  0 <= y perp H y + g >= 0.
struct NonnegativeQuadraticProgram {
  Eigen::MatrixXd H;  ///< [n x n], symmetric positive semidefinite; may be singular
  Eigen::VectorXd g;  ///< [n]
};

/// Returns the same problem as a box QP with bounds [0, infinity), whose solvers, validate(),
/// measure_residual() and proves_unboundedness() apply. A ray is then a Farkas proof: d >= 0, H d =
/// 0, g'd < 0, so that no y has H y + g >= 0.
BoxQuadraticProgram as_box_qp(const NonnegativeQuadraticProgram& problem);

}  // namespace amontons
