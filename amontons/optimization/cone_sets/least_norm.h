#pragma once

#include "amontons/math/solve_status.h"
#include "amontons/optimization/cone_sets/generated_cone.h"

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include <limits>
#include <vector>

namespace amontons {

/// Says when the search ends.
struct LeastNormSettings {
  double tolerance = 1e-10;        ///< acceptance threshold of the residual [-], > 0
  double target_residual = 1e-14;  ///< target residual [-], approached as long as steps gain
  int max_iterations = 200;        ///< >= 1
};

/// Holds the shortest point.
struct LeastNormSolution {
  SolveStatus status = SolveStatus::NotRun;  ///< Converged, Stalled or NumericalFailure
  Eigen::VectorXd r;                         ///< [3 n], in the cones
  double residual = std::numeric_limits<double>::quiet_NaN();  ///< max |X (r - r_0)| / max |r_0|
  int iterations = 0;                                          ///< Newton steps
};

/// Finds the shortest point of a convex set:  min 1/2 |r|^2  subject to  r in K,  X r = X r_0,  K a
/// product of cones. The point is unique, and does not depend on the order of rows or cones.
///
/// With a multiplier y of the rows r = P_K(X'y), and y maximizes the concave function
///
///   y'X r_0 - 1/2 |P_K(X'y)|^2,
///
/// which is differentiable once. The method is semismooth Newton with a ridge that vanishes with
/// the gradient, and a line search [Rockafellar 1976, augmented Lagrangians; Qi, Sun 1993]. Each
/// step takes one sparse factorization of X J X', J the derivative of P_K. Where K touches the rows
/// in no inner point, the multipliers grow on the way.
///
/// @param X      [m x 3 n], columns near 1; rows may depend on each other.
/// @param r_0    [3 n], in the cones.
/// @throws std::invalid_argument if sizes disagree or a setting is out of range.
[[nodiscard]] LeastNormSolution solve_least_norm(const Eigen::SparseMatrix<double>& X,
                                                 const std::vector<GeneratedCone>& cones,
                                                 const Eigen::VectorXd& r_0,
                                                 const LeastNormSettings& settings = {});

}  // namespace amontons
