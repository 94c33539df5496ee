#pragma once

#include "amontons/optimization/ccp/cone_iterate.h"
#include "amontons/optimization/ccp/methods/central_path_point.h"

namespace amontons {

/// Says which path is followed, and when it ends.
struct CentralPathSettings {
  double tolerance = 1e-8;         ///< bound of the residual [-]
  double target_residual = 1e-13;  ///< residual [-] at which Newton's last steps aim
  int max_factorizations = 200;    ///< limit along the path; Newton's method at its end has its own
  double looseness = 0.15;         ///< largest |F| of a point on the path, share of tau
  CentralPathSystem system = {};   ///< which path
};

/// Follows the central path of a cone problem (central_path_point.h) by its arc length, from
/// z = 0 and tau = 1 towards the solution at tau = 0.
///
/// Friction is not monotone, so that the path may turn back. Each turn changes the sign of
/// det(dF/dz). While the sign differs from that of a monotone problem, tau grows; a method that
/// only lowers tau would stall there [Allgower, Georg 2003, chapters 2 and 6]. Each step factors
/// once. It goes back to the path and along its tangent, as far as |F| stays below a share of tau;
/// this length is found by evaluating F alone. Near the solution, sweeps and Newton's method with a
/// strong ridge find the last digits, which redundant reactions hide from the path.
///
/// It starts from scratch and leaves the best point seen, or the iterate's own where that is
/// better.
///
/// @returns Converged, IterationLimit, Stalled, NumericalFailure; NotRun where the path does not
/// exist (CentralPathPoint::supports()).
ConeResult follow_central_path(const ConeProblem& problem, const CentralPathSettings& settings,
                               ConeWorkspace& work, ConeIterate& iterate);

/// Finds the last digits of an iterate near a solution: rounds of sweeps and of Newton's method
/// with a strong ridge, as long as a round gains.
/// @param steps  limit of Newton's steps in a round.
ConeResult finish_near_solution(const ConeProblem& problem, const CentralPathSettings& settings,
                                int max_rounds, int steps, ConeWorkspace& work,
                                ConeIterate& iterate);

}  // namespace amontons
