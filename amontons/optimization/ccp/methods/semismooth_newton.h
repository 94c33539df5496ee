#pragma once

#include "amontons/optimization/ccp/cone_iterate.h"

namespace amontons {

/// Says when the method ends.
struct NewtonSettings {
  double tolerance = 1e-8;         ///< acceptance threshold of the residual [-]
  double target_residual = 1e-13;  ///< target of the residual [-], near rounding
  int max_iterations = 40;         ///< one factorization each
  double step_length = 1.0;        ///< rho of the natural map, in units of 1/W_ii
  /// Least ridge [-] inside the matrix. A large one finds the last digits where redundant reactions
  /// would wander, in more steps.
  double least_ridge = 1e-8;
};

/// Runs semismooth Newton's method on the natural map r = P(r - rho u) (for Coulomb's law the
/// equations of [Alart, Curnier 1991]), in the smaller space (DelassusOperator::factor). Open
/// contacts cost nothing. A ridge inside the matrix separates redundant contacts and leaves the
/// equations as they are. It is small where the residual is, as in the method of Levenberg and
/// Marquardt, and larger after short steps. Steps are shortened until the residual falls below the
/// worst of the last four. Within the tolerance the method continues to the target as long as each
/// step gains a digit.
ConeResult solve_semismooth_newton(const ConeProblem& problem, const NewtonSettings& settings,
                                   ConeWorkspace& work, ConeIterate& iterate);

}  // namespace amontons
