#pragma once

#include "amontons/optimization/ccp/cone_iterate.h"

namespace amontons {

struct NewtonSettings {
  double tolerance = 1e-8;         ///< of the residual: enough
  double target_residual = 1e-13;  ///< of the residual: as good as rounding lets it be
  int max_iterations = 40;
  double step_length = 1.0;  ///< rho of the natural map, in units of 1/W_ii
};

/// Semismooth Newton's method on the natural map r = P(r - rho u) (for Coulomb's law the equations
/// of [Alart, Curnier 1991]), in whichever space is smaller (DelassusOperator::factor). Open
/// contacts cost nothing; redundant ones are told apart by a ridge inside the matrix, which leaves
/// the equations as they are: small where the residual is, as Levenberg and Marquardt have it, and
/// larger after steps that must be short. Steps are shortened until the residual falls below the
/// worst of the last four. Within the tolerance it goes on to the goal as long as each step gains a
/// digit.
ConeResult solve_semismooth_newton(const ConeProblem& problem, const NewtonSettings& settings,
                                   ConeWorkspace& work, ConeIterate& iterate);

}  // namespace amontons
