#pragma once

#include "amontons/math/solve_status.h"

#include <Eigen/Core>

namespace amontons {

/// States a dense convex quadratic program over halflines and second-order cones:
///
///   min 1/2 x'H x + g'x   subject to   F x + f in R+^l x Q^k,   Q = { (a, b) : |b| <= a }, b in
///   R^2.
///
/// The data should be scaled so that rows of F and entries of g are near 1.
struct ConicQuadraticProgram {
  Eigen::MatrixXd H;               ///< [n x n], symmetric positive semidefinite; may be singular
  Eigen::VectorXd g;               ///< [n]
  Eigen::MatrixXd F;               ///< [l + 3 k x n]
  Eigen::VectorXd f;               ///< [l + 3 k]
  Eigen::Index num_halflines = 0;  ///< l
};

/// Says when the interior point method ends.
struct ConicQpSettings {
  double tolerance = 1e-8;  ///< bound of residuals and gap, relative to the data; > 0
  int max_iterations = 60;  ///< >= 1
};

/// Holds the primal and dual solution.
struct ConicQpSolution {
  SolveStatus status =
      SolveStatus::NotRun;  ///< Converged, IterationLimit, Stalled, NumericalFailure
  Eigen::VectorXd x;        ///< [n] the best point met
  Eigen::VectorXd z;        ///< [l + 3 k] multipliers of the cones, in the same cones
  double residual = 0.0;    ///< largest of |H x + g - F'z|, |F x + f - s|, s'z / (l + k), scaled
  int iterations = 0;       ///< number of steps
};

/// Runs a primal-dual interior point method with Nesterov-Todd scaling and Mehrotra's correction,
/// from an infeasible start [Vandenberghe 2010, "The CVXOPT linear and quadratic cone program
/// solvers"]. Where no point is strictly inside the cones, the multipliers grow on the way. The
/// solution then has some seven digits: finish with Newton's method. If the tolerance is not
/// reached, a second run regularizes each row by itself. Its solution counts only if it converges.
/// @throws std::invalid_argument if sizes disagree or a setting is out of range.
[[nodiscard]] ConicQpSolution solve_conic_qp(const ConicQuadraticProgram& problem,
                                             const ConicQpSettings& settings = {});

}  // namespace amontons
