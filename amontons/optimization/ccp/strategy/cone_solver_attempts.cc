#include "amontons/optimization/ccp/strategy/cone_solver_attempts.h"

#include "amontons/optimization/ccp/methods/accelerated_gauss_seidel.h"
#include "amontons/optimization/ccp/methods/augmented_lagrangian.h"
#include "amontons/optimization/ccp/methods/de_saxce_iteration.h"
#include "amontons/optimization/ccp/methods/gauss_seidel.h"
#include "amontons/optimization/ccp/methods/momentum_sweeps.h"
#include "amontons/optimization/ccp/methods/polygon_interior_point.h"
#include "amontons/optimization/ccp/methods/restricted_solution.h"
#include "amontons/optimization/ccp/methods/semismooth_newton.h"
#include "amontons/optimization/ccp/strategy/thresholds.h"

#include <algorithm>
#include <limits>

namespace amontons {

using namespace cone_strategy;

double ConeSolverAttempts::acceptance_threshold() const {
  // Only many contacts stop early at the acceptable residual: there each attempt is expensive.
  const double acceptable_residual =
      problem_.num_blocks() > kManyContacts ? settings_.acceptable_residual : 0.0;
  return std::max({settings_.tolerance, acceptable_residual, kResidualRounding});
}

int ConeSolverAttempts::at_most(int iterations) const { return std::min(iterations, left_); }

bool ConeSolverAttempts::accept_without_iterating(const char* name, const ConeIterate& point) {
  // The target is that of Newton's method, so that no further digit is expected.
  if (point.residual > settings_.target_residual) return false;
  if (&point != &best_) best_ = point;
  attempts_.push_back({name, {SolveStatus::Converged, 0}, point.residual, 0.0});
  return true;
}

ConeIterate ConeSolverAttempts::free_motion() const {
  ConeIterate point;
  start_from_zero(problem_, point);
  return point;
}

ConeIterate ConeSolverAttempts::least_squares_start() {
  ConeIterate point = free_motion();
  start_from_least_squares(problem_, work_, point);
  return point;
}

bool ConeSolverAttempts::sweep(ConeIterate& point, int sweeps, int check_every) {
  return attempt("Gauss-Seidel", point, false, [&](ConeIterate& p) {
    // Plain sweeps aim at the tolerance; Newton follows in any case.
    return solve_gauss_seidel(problem_, {settings_.tolerance, at_most(sweeps), check_every}, work_,
                              p);
  });
}

bool ConeSolverAttempts::accelerated_sweep(ConeIterate& point, int pairs, int patience) {
  // Accelerated sweeps may be the last attempt, so they aim at the acceptance threshold.
  const AcceleratedSweepSettings sweeps{acceptance_threshold(), at_most(pairs), patience};
  return attempt("Gauss-Seidel, accelerated", point, false, [&](ConeIterate& p) {
    return solve_accelerated_gauss_seidel(problem_, sweeps, work_, p);
  });
}

bool ConeSolverAttempts::momentum_sweeps(int sweeps) {
  work_.swept = best_;
  return attempt("sweeps, momentum", work_.swept, false, [&](ConeIterate& p) {
    return solve_momentum_sweeps(problem_, {settings_.tolerance, at_most(sweeps)}, work_, p);
  });
}

bool ConeSolverAttempts::newton(const char* name, const ConeIterate& from, int iterations,
                                double rho) {
  // Newton works on a copy: its start may be the best point itself.
  work_.point = from;
  return attempt(name, work_.point, true, [&](ConeIterate& p) {
    return solve_semismooth_newton(
        problem_, {settings_.tolerance, settings_.target_residual, at_most(iterations), rho}, work_,
        p);
  });
}

bool ConeSolverAttempts::proximal_point(const char* name, ConeIterate point, int iterations) {
  return attempt(name, point, false, [&](ConeIterate& p) {
    // The penalty rho grows from 1e3 to 1e10 in units of 1/W_ii.
    return solve_augmented_lagrangian(
        problem_, {settings_.tolerance, at_most(iterations), kFirstPenalty, kLargestPenalty}, work_,
        p);
  });
}

CentralPathSettings ConeSolverAttempts::path_settings(int steps) const {
  CentralPathSettings settings;
  settings.tolerance = acceptance_threshold();
  settings.target_residual = settings_.target_residual;
  settings.max_factorizations = at_most(steps);
  return settings;
}

bool ConeSolverAttempts::central_path(const char* name, double compliance) {
  // The central path leaves its end in work_.inner, as the interior point does.
  return attempt_near(name, work_.inner, [&](const ConeProblem& near, ConeIterate& p) {
    CentralPathSettings settings = path_settings(kPathSteps);
    settings.system.compliance = compliance;
    return follow_central_path(near, settings, work_, p);
  });
}

bool ConeSolverAttempts::central_paths() {
  return central_path("central path", 0.0) || softened_paths();
}

bool ConeSolverAttempts::softened_paths() {
  return central_path("central path, softened", kLargeCompliance) ||
         central_path("central path, softened", kSmallCompliance);
}

bool ConeSolverAttempts::whole_central_path() {
  if (problem_.num_blocks() > kMaxContactsForSlowPaths) return false;
  start_from_zero(problem_, work_.inner);
  return attempt("central path, whole", work_.inner, false, [&](ConeIterate& p) {
    CentralPathSettings settings = path_settings(kWholePathSteps);
    settings.looseness = kNarrowTube;
    return follow_central_path(problem_, settings, work_, p);
  });
}

bool ConeSolverAttempts::convex_sequence(ConeIterate point) {
  return attempt("sequence of convex problems", point, true, [&](ConeIterate& p) {
    return solve_de_saxce(problem_, {settings_.tolerance, settings_.target_residual, 4}, work_, p);
  });
}

bool ConeSolverAttempts::attempt_near(const char* name, ConeIterate& point,
                                      const ConeMethod& method) {
  return attempt(name, point, false, [&](ConeIterate& p) {
    // From r = 0, on all contacts: interior methods use no start.
    if (!restricts_to_near_) {
      start_from_zero(problem_, p);
      return method(problem_, p);
    }
    // A few sweeps from the best point show which contacts may close; the others are left out.
    ConeIterate& guess = work_.point;
    guess = best_;
    solve_accelerated_gauss_seidel(problem_, {acceptance_threshold(), kDetectionPairs}, work_,
                                   guess);
    return solve_restricted(problem_, guess, acceptance_threshold(), method, work_, p);
  });
}

bool ConeSolverAttempts::interior_point(double tolerance, double warm_share) {
  // A share of the last solution helps only where it is near, in warm heaps.
  const InteriorPointSettings settings{tolerance, at_most(kInteriorSteps),
                                       restricts_to_near_ ? warm_share : 0.0};
  return attempt_near("interior point", work_.inner, [&](const ConeProblem& near, ConeIterate& p) {
    return solve_interior_point(near, settings, work_, p);
  });
}

bool ConeSolverAttempts::interior_then_newton() {
  return interior_point(settings_.tolerance) ||
         newton("Newton, from interior point", work_.inner, 20, 1.0);
}

bool ConeSolverAttempts::polygon_interior_point(double start) {
  return attempt_near("interior point", work_.inner, [&](const ConeProblem& near, ConeIterate& p) {
    return solve_polygon_interior_point(near, {settings_.tolerance, at_most(kInteriorSteps)}, start,
                                        work_, p);
  });
}

bool ConeSolverAttempts::interior_then_sweeps(double residual, double warm_share) {
  // The interior point may end early: the sweeps finish at a lower cost per digit.
  return interior_point(std::max(settings_.tolerance, residual), warm_share) ||
         accelerated_sweep(work_.inner, kFinishingPairs);
}

ConeProblem ConeSolverAttempts::relaxation() const {
  ConeProblem relaxed = problem_;
  relaxed.law = ConeLaw::Associated;
  return relaxed;
}

bool ConeSolverAttempts::nearby_relaxation(ConeIterate point) {
  const ConeProblem relaxed = relaxation();
  return attempt("proximal Newton, relaxation", point, false, [&](ConeIterate& p) {
    const ConeResult result = solve_augmented_lagrangian(
        relaxed, {kHeapResidual, at_most(kNearbySteps), kFirstPenalty, kLargestPenalty}, work_, p);
    // The relaxation's solution is measured by Coulomb's law.
    evaluate(problem_, p);
    return result;
  });
}

bool ConeSolverAttempts::newton_on_relaxation() {
  const Stopwatch watch;
  const ConeProblem relaxed = relaxation();
  ConeIterate& point = work_.point;
  point = best_;
  evaluate(relaxed, point);
  const ConeResult result = solve_semismooth_newton(
      relaxed, {settings_.tolerance, settings_.tolerance, at_most(kRelaxationSteps), 1.0}, work_,
      point);
  left_ -= result.iterations;
  attempts_.push_back({"Newton, relaxation", result, point.residual, watch.seconds()});
  return result.status == SolveStatus::Converged;
}

bool ConeSolverAttempts::relaxation_then_newton() {
  const ConeProblem relaxed = relaxation();
  ConeIterate& inner = work_.inner;
  start_from_zero(relaxed, inner);
  // The solution replaces any iterate found before, so the best residual starts over.
  best_.residual = std::numeric_limits<double>::infinity();
  const bool round = are_round_cones(problem_);
  attempt(round ? "interior point, relaxation" : "proximal Newton, relaxation", inner, false,
          [&](ConeIterate& p) {
            // Interior points need round cones; the proximal point method takes all.
            const ConeResult result =
                round ? solve_interior_point(
                            relaxed, {settings_.tolerance, at_most(kInteriorSteps)}, work_, p)
                      : solve_augmented_lagrangian(relaxed,
                                                   {settings_.tolerance, at_most(kInteriorSteps),
                                                    kFirstPenalty, kLargestPenalty},
                                                   work_, p);
            // The relaxation's solution is measured by Coulomb's law.
            evaluate(problem_, p);
            return result;
          });
  // Where nothing slides both laws agree; Newton adds the last digits.
  if (best_.residual > settings_.target_residual)
    newton("Newton, from the relaxation", inner, 8, 1.0);
  return done();
}

}  // namespace amontons
