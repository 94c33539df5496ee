#include "amontons/optimization/ccp/strategy/cone_solver_attempts.h"

#include "amontons/optimization/ccp/methods/accelerated_gauss_seidel.h"
#include "amontons/optimization/ccp/methods/augmented_lagrangian.h"
#include "amontons/optimization/ccp/methods/central_path.h"
#include "amontons/optimization/ccp/methods/de_saxce_iteration.h"
#include "amontons/optimization/ccp/methods/gauss_seidel.h"
#include "amontons/optimization/ccp/methods/polygon_interior_point.h"
#include "amontons/optimization/ccp/methods/restricted_solution.h"
#include "amontons/optimization/ccp/methods/semismooth_newton.h"

#include <algorithm>
#include <limits>

namespace amontons {
namespace {

constexpr double kResidualRounding = 1e-11;  // residual below which no other method would gain more
constexpr int kInteriorSteps = 80;           // mostly 8 to 25 are needed
constexpr int kFinishingPairs = 400;

constexpr int kTellingPairs = 20;  // of sweeps, which tell what may close

}  // namespace

double ConeSolverAttempts::acceptance_threshold() const {
  const double acceptable_residual =
      problem_.num_blocks() > kManyContacts ? settings_.acceptable_residual : 0.0;
  return std::max({settings_.tolerance, acceptable_residual, kResidualRounding});
}

int ConeSolverAttempts::at_most(int iterations) const { return std::min(iterations, left_); }

bool ConeSolverAttempts::accept_without_iterating(const char* name, const ConeIterate& point) {
  if (point.residual > settings_.target_residual) return false;
  if (&point != &best_) best_ = point;
  attempts_.push_back({name, {SolveStatus::Converged, 0}, point.residual, 0.0});
  return true;
}

ConeIterate ConeSolverAttempts::zero() const {
  ConeIterate point;
  start_from_zero(problem_, point);
  return point;
}

ConeIterate ConeSolverAttempts::stopped() {
  ConeIterate point = zero();
  start_from_least_squares(problem_, work_, point);
  return point;
}

bool ConeSolverAttempts::sweep(ConeIterate& point, int sweeps, int check_every) {
  return attempt("Gauss-Seidel", point, false, [&](ConeIterate& p) {
    return solve_gauss_seidel(problem_, {settings_.tolerance, at_most(sweeps), check_every}, work_,
                              p);
  });
}

bool ConeSolverAttempts::accelerated_sweep(ConeIterate& point, int pairs, int patience) {
  const AcceleratedSweepSettings sweeps{acceptance_threshold(), at_most(pairs), patience};
  return attempt("Gauss-Seidel, accelerated", point, false, [&](ConeIterate& p) {
    return solve_accelerated_gauss_seidel(problem_, sweeps, work_, p);
  });
}

bool ConeSolverAttempts::newton(const char* name, const ConeIterate& from, int iterations,
                                double rho) {
  work_.point = from;
  return attempt(name, work_.point, true, [&](ConeIterate& p) {
    return solve_semismooth_newton(
        problem_, {settings_.tolerance, settings_.target_residual, at_most(iterations), rho}, work_,
        p);
  });
}

bool ConeSolverAttempts::lagrangian(const char* name, ConeIterate point, int iterations) {
  return attempt(name, point, false, [&](ConeIterate& p) {
    return solve_augmented_lagrangian(
        problem_, {settings_.tolerance, at_most(iterations), 1e3, 1e10}, work_, p);
  });
}

bool ConeSolverAttempts::central_path(int steps) {
  return attempt_near("central path", work_.inner, [&](const ConeProblem& near, ConeIterate& p) {
    return follow_central_path(near, {settings_.tolerance, at_most(steps)}, work_, p);
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
    if (!restricts_to_near_) {
      start_from_zero(problem_, p);
      return method(problem_, p);
    }
    ConeIterate& guess = work_.point;
    guess = best_;
    solve_accelerated_gauss_seidel(problem_, {acceptance_threshold(), kTellingPairs}, work_, guess);
    return solve_restricted(problem_, guess, acceptance_threshold(), method, work_, p);
  });
}

bool ConeSolverAttempts::interior_point(double tolerance, double warm_share) {
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
  return interior_point(std::max(settings_.tolerance, residual), warm_share) ||
         accelerated_sweep(work_.inner, kFinishingPairs);
}

bool ConeSolverAttempts::relaxation_then_newton() {
  ConeProblem relaxed = problem_;
  relaxed.law = ConeLaw::Associated;
  ConeIterate& inner = work_.inner;
  start_from_zero(relaxed, inner);
  best_.residual = std::numeric_limits<double>::infinity();
  const bool round = are_round_cones(problem_);
  attempt(round ? "interior point, relaxation" : "proximal Newton, relaxation", inner, false,
          [&](ConeIterate& p) {
            const ConeResult result =
                round ? solve_interior_point(
                            relaxed, {settings_.tolerance, at_most(kInteriorSteps)}, work_, p)
                      : solve_augmented_lagrangian(
                            relaxed, {settings_.tolerance, at_most(kInteriorSteps), 1e3, 1e10},
                            work_, p);
            evaluate(problem_, p);
            return result;
          });
  if (best_.residual > settings_.target_residual)
    newton("Newton, from the relaxation", inner, 8, 1.0);
  return done();
}

}  // namespace amontons
