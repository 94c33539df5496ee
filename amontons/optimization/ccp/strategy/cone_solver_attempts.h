#pragma once

#include "amontons/math/stopwatch.h"
#include "amontons/optimization/ccp/methods/cone_interior_point.h"
#include "amontons/optimization/ccp/methods/restricted_solution.h"
#include "amontons/optimization/ccp/strategy/cone_problem_solver.h"

#include <limits>
#include <vector>

namespace amontons {

inline constexpr int kNoLimit = std::numeric_limits<int>::max();
inline constexpr int kManyContacts = 50;  // from here on the order of solvers matters

/// The rungs of the ladder (cone_problem_solver.h): each tries one method from some point, notes
/// what came of it, and keeps the best iterate. All return whether that is good enough.
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
  /// As good as asked, or as arithmetic allows: a judge with a stricter tolerance says so itself.
  double acceptance_threshold() const;
  bool done() const { return best_.residual <= acceptance_threshold(); }

  /// Without any solver, if that is as good as Newton's answer could be.
  bool accept_without_iterating(const char* name, const ConeIterate& point);

  /// @param solver  of ConeResult(ConeIterate&).
  /// @param polished  whether it goes on to the goal by itself.
  template <typename Solver>
  bool attempt(const char* name, ConeIterate& point, bool polished, const Solver& solver) {
    if (left_ <= 0) return false;
    const Stopwatch watch;
    const ConeResult result = solver(point);
    const double time_s = watch.seconds();
    left_ -= result.iterations;
    keep_best(point, best_);
    polished_ = polished;
    attempts_.push_back({name, result, point.residual, time_s});
    return done();
  }

  bool sweep(ConeIterate& point, int sweeps, int check_every);
  bool accelerated_sweep(ConeIterate& point, int pairs, int patience = kNoLimit);
  bool newton(const char* name, const ConeIterate& from, int iterations, double rho);
  bool lagrangian(const char* name, ConeIterate point, int iterations);
  bool central_path(int steps);
  bool convex_sequence(ConeIterate point);
  /// From scratch to work_.inner.
  /// @param warm_share  where it narrows, see InteriorPointSettings.
  bool interior_point(double tolerance, double warm_share = 0.0);
  bool interior_then_newton();
  bool polygon_interior_point(double start);
  /// An interior point ends at some 1e-8 where contacts are about to open or to slip, its gap at
  /// rounding; a few sweeps from there do the rest, and cost less than one of its steps.
  /// @param residual  at which the interior point may end.
  bool interior_then_sweeps(double residual, double warm_share = 0.0);
  /// The relaxation in place of Coulomb's law, from scratch, and Newton's method on Coulomb's law
  /// from its answer, which is the best iterate then whatever the one before was.
  bool relaxation_then_newton();

  /// From scratch to `point`; where `restricts_to_near_` on the contacts alone that a few sweeps
  /// find near.
  bool attempt_near(const char* name, ConeIterate& point, const ConeMethod& method);

  ConeIterate zero() const;
  /// From the reaction that stops the free motion in least squares.
  ConeIterate stopped();

  int at_most(int iterations) const;

  const ConeProblem& problem_;
  const ConeSolverSettings& settings_;
  ConeWorkspace& work_;
  ConeIterate& best_;
  std::vector<ConeAttempt>& attempts_;
  int left_;  // iterations that may still be made
  /// A heap that was solved a step ago. Not a stack, nor a cold start: those have answers that
  /// stand and others that fall, which leave different contacts open.
  bool restricts_to_near_ = false;
  bool polished_ = false;  // the last attempt went on to the goal by itself, or need not
};

}  // namespace amontons
