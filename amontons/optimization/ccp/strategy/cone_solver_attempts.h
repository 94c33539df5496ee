#pragma once

#include "amontons/math/effort.h"
#include "amontons/math/stopwatch.h"
#include "amontons/optimization/ccp/methods/central_path.h"
#include "amontons/optimization/ccp/methods/cone_interior_point.h"
#include "amontons/optimization/ccp/methods/restricted_solution.h"
#include "amontons/optimization/ccp/strategy/cone_problem_solver.h"
#include "amontons/optimization/ccp/strategy/thresholds.h"

#include <algorithm>
#include <vector>

namespace amontons {

/// Tries single methods (cone_problem_solver.h names their order). Each attempt starts from some
/// point, records its result, and keeps the best iterate. All attempts return true if the best
/// iterate meets the acceptance threshold.
class ConeSolverAttempts {
 public:
  ConeSolverAttempts(const ConeProblem& problem, const ConeSolverSettings& settings,
                     ConeWorkspace& work, ConeIterate& best, std::vector<ConeAttempt>& attempts)
      : problem_(problem),
        settings_(settings),
        work_(work),
        best_(best),
        attempts_(attempts),
        left_(settings.max_iterations) {}

 protected:
  /// Returns the residual [-] at which an attempt counts as converged: the tolerance, or for many
  /// contacts the acceptable residual, but not below rounding.
  double acceptance_threshold() const;
  bool done() const { return best_.residual <= acceptance_threshold(); }

  /// Asks for the digits of a fine tolerance.
  void refine() {
    settings_.tolerance = std::min(settings_.tolerance, cone_strategy::kFineTolerance);
    settings_.acceptable_residual =
        std::min(settings_.acceptable_residual, cone_strategy::kFineAcceptable);
    settings_.target_residual = std::min(settings_.target_residual, cone_strategy::kFineTarget);
  }

  /// Returns true if no iterations or no effort are left.
  bool is_spent() const { return left_ <= 0 || !has_effort(); }

  /// Accepts a point without any method if it meets the target residual.
  bool accept_without_iterating(const char* name, const ConeIterate& point);

  /// Runs one method on a point.
  /// @param solver  callable as ConeResult(ConeIterate&).
  /// @param polished  true if the method continues to the target residual by itself.
  template <typename Solver>
  bool attempt(const char* name, ConeIterate& point, bool polished, const Solver& solver) {
    if (is_spent()) return false;
    const Stopwatch watch;
    const ConeResult result = solver(point);
    const double time_s = watch.seconds();
    left_ -= result.iterations;
    keep_best(point, best_);
    polished_ = polished;
    attempts_.push_back({name, result, point.residual, time_s});
    return done();
  }

  /// Runs plain sweeps, forward and in reverse.
  bool sweep(ConeIterate& point, int sweeps, int check_every);
  /// Runs accelerated pairs of sweeps; `patience` pairs must halve the residual.
  bool accelerated_sweep(ConeIterate& point, int pairs, int patience = cone_strategy::kNoLimit);
  /// Runs sweeps with momentum from the best point.
  bool momentum_sweeps(int sweeps);
  /// Runs Newton from a point, with the step length rho of the natural map in units of 1/W_ii.
  bool newton(const char* name, const ConeIterate& from, int iterations, double rho);
  /// Runs the proximal point method from a point.
  bool proximal_point(const char* name, ConeIterate point, int iterations);
  /// Follows the central path from scratch, with a compliance that dies along it.
  bool central_path(const char* name, double compliance);
  /// Follows the paths with a compliance.
  bool softened_paths();
  /// Follows the central path, then the paths with a compliance.
  bool central_paths();
  /// Follows the central path of all contacts from scratch, nearer than central_path() does. Slow.
  bool whole_central_path();
  /// Runs the sequence of convex problems from a point.
  bool convex_sequence(ConeIterate point);
  /// Runs an interior point method from scratch to work_.inner.
  /// @param warm_share  see InteriorPointSettings; used on restricted problems.
  bool interior_point(double tolerance, double warm_share = 0.0);
  /// Runs an interior point method, then Newton from its end.
  bool interior_then_newton();
  /// Runs the interior point method on polygons, from a first point of this size.
  bool polygon_interior_point(double start);
  /// Runs an interior point method, then sweeps from its end. The method ends near 1e-8 where
  /// contacts are about to open or to slip, with its gap at rounding. A few sweeps from there
  /// finish, and cost less than one of its steps.
  /// @param residual  bound [-] at which the interior point may end.
  bool interior_then_sweeps(double residual, double warm_share = 0.0);
  /// Solves the relaxation by few proximal steps from a point, keeping the best iterate.
  bool nearby_relaxation(ConeIterate point);
  /// Solves the relaxation by a few steps of Newton's method from the best iterate, which stays.
  /// The solution is work_.point.
  /// @returns true if it converged.
  bool newton_on_relaxation();
  /// Solves the relaxation in place of Coulomb's law, from scratch, then runs Newton's method on
  /// Coulomb's law from its solution. The result is the best iterate, even if an earlier one was
  /// better.
  bool relaxation_then_newton();

  /// Runs a method from scratch to `point`; with `restricts_to_near_` on the contacts alone that a
  /// few sweeps find near.
  bool attempt_near(const char* name, ConeIterate& point, const ConeMethod& method);

  /// Returns the relaxation: the same problem under the associated law.
  ConeProblem relaxation() const;
  /// Returns the free motion.
  ConeIterate free_motion() const;
  /// Returns the start from the reaction that stops the free motion in least squares.
  ConeIterate least_squares_start();

  /// Returns the number of iterations, limited by the budget that is left.
  int at_most(int iterations) const;
  /// Returns what all central paths have in common, with a limit of factorizations.
  CentralPathSettings path_settings(int steps) const;

  const ConeProblem& problem_;
  ConeSolverSettings settings_;  // those asked for, or refined
  ConeWorkspace& work_;
  ConeIterate& best_;
  std::vector<ConeAttempt>& attempts_;
  int left_;  // iterations that may still be made
  /// True for a heap with a warm start. A stack or a cold start can have solutions in equilibrium
  /// and others that fall, which leave different contacts open.
  bool restricts_to_near_ = false;
  bool polished_ = false;  // the last attempt continued to the target residual, or need not
};

}  // namespace amontons
