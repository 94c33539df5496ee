#pragma once

#include "amontons/optimization/ccp/cone_iterate.h"

#include <limits>
#include <vector>

namespace amontons {

/// What the ladder may try, and how long.
struct ConeSolverSettings {
  double tolerance = 1e-8;           ///< of the residual: what each rung aims at
  double acceptable_residual = 0.0;  ///< with which many contacts try no further rung
  double target_residual =
      1e-13;               ///< what Newton goes on to, so that resting contacts do not creep
  bool warm = false;       ///< the iterate's r is a guess from a similar problem
  bool from_rest = false;  ///< nothing slid before: what can stick shall
  /// Of all rungs together, >= 0; methods made of others end the round they are in.
  int max_iterations = std::numeric_limits<int>::max();
};

/// One rung of the ladder.
struct ConeAttempt {
  const char* solver = "";  ///< its name
  ConeResult result;        ///< what it found
  double residual = 0.0;    ///< of the best iterate so far
  double time_s = 0.0;      ///< wall time
};

/// Solves a cone problem by one method after the other until the residual meets its tolerance,
/// cheap ones first, keeping the best iterate [docs/theory/cone-solver.md]:
///
/// - the free motion (q in K*), or the warm start as it is;
/// - Newton from the warm start;
/// - Gauss-Seidel (accelerated for many contacts), Newton, interior point and Newton; for stacks
///   interior point first;
/// - the central path by its arc length, where friction makes it turn back;
/// - longer accelerated Gauss-Seidel, then Newton;
/// - proximal point from the least-squares reaction, which heavy loads on light bodies need;
/// - a sequence of convex problems.
///
/// @returns Converged, IterationLimit or Stalled; the iterate is the best one seen.
SolveStatus solve_cone_problem(const ConeProblem& problem, const ConeSolverSettings& settings,
                               ConeWorkspace& work, ConeIterate& iterate,
                               std::vector<ConeAttempt>& attempts);

}  // namespace amontons
