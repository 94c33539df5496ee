#pragma once

#include "amontons/optimization/ccp/cone_iterate.h"

namespace amontons {

/// Names a method that solves a cone problem alone, from the iterate that it is given.
struct SingleConeMethod {
  const char* name;    ///< as in attempts
  int max_iterations;  ///< usual limit of sweeps, steps or factorizations
  /// @param tolerance  bound of the residual [-].
  /// @param limit  of the iterations.
  ConeResult (*solve)(const ConeProblem& problem, double tolerance, int limit, ConeWorkspace& work,
                      ConeIterate& iterate);
};

/// Runs sweeps with Anderson's acceleration (accelerated_gauss_seidel.h).
extern const SingleConeMethod kGaussSeidelAlone;
/// Runs semismooth Newton's method (semismooth_newton.h).
extern const SingleConeMethod kNewtonAlone;
/// Runs the primal-dual interior point method (cone_interior_point.h).
extern const SingleConeMethod kInteriorPointAlone;
/// Follows the central path (central_path.h).
extern const SingleConeMethod kCentralPathAlone;

}  // namespace amontons
