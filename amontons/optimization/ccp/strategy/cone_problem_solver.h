#pragma once

#include "amontons/optimization/ccp/cone_iterate.h"

#include <limits>
#include <vector>

namespace amontons {

/// Says which accuracy is asked for, and what is known of the iterate.
struct ConeSolverSettings {
  double tolerance = 1e-8;           ///< residual [-] that each attempt aims at
  double acceptable_residual = 0.0;  ///< [-]; more than kManyContacts contacts stop attempts at it
  double target_residual = 1e-13;    ///< [-] of Newton's last steps: resting contacts do not creep
  bool warm = false;                 ///< the iterate's r is a guess from a similar problem
  bool from_rest = false;            ///< nothing slid before: contacts that can stick must stick
  /// Limit for all attempts together, >= 0, besides the thread's effort (math/effort.h). Methods
  /// made of others end the round they are in.
  int max_iterations = std::numeric_limits<int>::max();
};

/// Records one method that was tried.
struct ConeAttempt {
  const char* solver = "";  ///< name of the method
  ConeResult result;        ///< status and iterations
  double residual = 0.0;    ///< residual of the iterate that it left [-]
  double time_s = 0.0;      ///< wall time [s]
};

/// Solves a cone problem by one method after the other until the residual meets its tolerance,
/// cheap ones first, keeping the best iterate [docs/theory/cone-solver.md].
///
/// First come the free motion (q in K*), the warm start as it is, and Newton from it. Then the
/// class of the problem decides. It follows from the number n of contacts, the number n_c of
/// contacts that count (cold: all; warm: the near ones, near_contacts.h) and the residual r0 [-] of
/// the warm start. A *heap* has n > 50 and 3 n_c <= 2.5 (degrees of freedom). Numbers are
/// iterations at most.
///
///   class              condition                attempts in order (Coulomb's law)
///   few                n <= 3                   1 sweep, Newton 8; then as moderate
///   moderate           4 <= n <= 50             4 sweeps, Newton 40; interior point,
///                                               Newton 20; tail
///   stack              n > 50, 3 n_c > 2.5      Newton if warm; sweeps A 400, ending early where
///                      (freedoms of the bodies  they would not arrive; interior point, or the
///                      that n_c touch)          path where n_c are few; from its end sweeps A
///                                               400 and Newton 20; sweeps A 60; Newton 20; tail
///   cold heap          heap, no warm start      4 sweeps, Newton 40 if n <= 100; sweeps A 60;
///                                               Newton 4; central path; interior point,
///                                               Newton 20; tail
///   steady heap        heap, warm, r0 < 1e-4    sweeps A 60; Newton 20; paths, whole path; stop
///                                               (no path: interior point, as above)
///   moving heap        heap, warm, r0 >= 1e-4,  sweeps A 1000, patience 50; paths, whole path;
///                      n <= 1000                stop (no path: interior point, as above)
///   large moving heap  the same, n > 1000       the same sweeps, no polish; central path;
///                                               whole path; softened paths if n <= 2500; stop
///   coarse heap        heap, tolerance >= 1e-5  sweeps with momentum, 400 or 800; stop
///   polygon            a cone has a polygon     sweeps A 60; Newton 20; interior point from
///                                               four sizes, each Newton 20; Newton 40
///
/// Few and moderate contacts and stacks that do not slide are solved to 1e-8 where less is asked,
/// and end at the tolerance asked where that fails. A sliding stack takes sweeps A to its
/// tolerance. Sweeps A are accelerated and counted in pairs. Paths are the central path 200 and,
/// where it ends early, those with a large and with a small compliance; in a warm heap they solve
/// the near contacts alone. The whole path 300 takes all of up to 2500 contacts, and keeps nearer.
/// The tail is: paths (up to 50 contacts: path, sequence of convex problems, path with a large
/// compliance); sweeps A 400 and Newton 40 with rho = 3; proximal Newton 60 from the least-squares
/// reaction, which heavy loads on light bodies need; Newton 40 from the best point. The associated
/// law has a list of its own. After success follow polish, equilibrium, sticking, a restart from
/// the interior, and open contacts.
///
/// @returns Converged, IterationLimit or Stalled; the iterate is the best one seen.
SolveStatus solve_cone_problem(const ConeProblem& problem, const ConeSolverSettings& settings,
                               ConeWorkspace& work, ConeIterate& iterate,
                               std::vector<ConeAttempt>& attempts);

}  // namespace amontons
