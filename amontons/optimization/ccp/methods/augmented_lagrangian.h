#pragma once

#include "amontons/optimization/ccp/cone_iterate.h"

namespace amontons {

/// Says when the method ends, and how its penalty grows.
struct AugmentedLagrangianSettings {
  double tolerance = 1e-8;     ///< bound of the residual [-]
  int max_iterations = 200;    ///< Newton steps and proximal steps in all
  double first_penalty = 1e3;  ///< rho, in units of 1/W_ii; times 100 while progress is slow
  double last_penalty = 1e10;  ///< largest rho: above, rounding of u spoils the steps
};

/// Runs the proximal point method on the reactions, each step solved by semismooth Newton:
///
///   r_{k+1} = P(r_k - rho u),   u = W r_{k+1} + q,
///
/// P is the projection on the cones (Associated) or Coulomb's discs (Coulomb). For the associated
/// law this is the augmented Lagrangian of the convex problem in the velocities. Its inner
/// functional is convex and the line search on it globally convergent [Rockafellar 1976, augmented
/// Lagrangians]. Redundant reactions are chosen nearest to the start. For Coulomb's law the line
/// search lowers the residual instead.
ConeResult solve_augmented_lagrangian(const ConeProblem& problem,
                                      const AugmentedLagrangianSettings& settings,
                                      ConeWorkspace& work, ConeIterate& iterate);

/// Starts from the projection on the cones of the reaction that stops the free motion in least
/// squares. This start suits heavy loads on light bodies.
void start_from_least_squares(const ConeProblem& problem, ConeWorkspace& work,
                              ConeIterate& iterate);

}  // namespace amontons
