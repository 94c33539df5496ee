#include "amontons/optimization/ccp/methods/de_saxce_iteration.h"

#include "amontons/optimization/ccp/methods/anderson_mixing.h"
#include "amontons/optimization/ccp/methods/cone_interior_point.h"
#include "amontons/optimization/ccp/methods/semismooth_newton.h"

namespace amontons {
namespace {

constexpr int kMemory = 5;                 // differences that the acceleration combines
constexpr double kConvexTolerance = 1e-9;  // [-] of the convex problems, below the usual tolerance
// Limits of iterations for the convex problem and for the last Newton's method.
constexpr int kInteriorSteps = 60, kConvexNewtonSteps = 20, kLastNewtonSteps = 15;

/// Returns mu |u_t| of every friction cone: the De Saxce correction.
Eigen::VectorXd lifts(const ConeProblem& problem, const Eigen::VectorXd& u) {
  Eigen::VectorXd result = Eigen::VectorXd::Zero(problem.num_blocks());
  for (int i = 0; i < problem.num_blocks(); ++i) {
    const Cone& cone = problem.cones[static_cast<std::size_t>(i)];
    if (cone.kind == ConeKind::Friction) result(i) = cone.mu * u.segment<2>(3 * i).norm();
  }
  return result;
}

}  // namespace

ConeResult solve_de_saxce(const ConeProblem& problem, const DeSaxceSettings& settings,
                          ConeWorkspace& work, ConeIterate& iterate) {
  // The convex problem is the associated law; its energy bound is not that of Coulomb's law.
  ConeProblem convex = problem;
  convex.law = ConeLaw::Associated;
  convex.work_scale = 0.0;
  AndersonMixing mixing(kMemory);
  Eigen::VectorXd lift = Eigen::VectorXd::Zero(problem.num_blocks());
  ConeResult result;
  for (int outer = 0; outer < settings.max_outer; ++outer) {
    // The correction of the last solution shifts the normal velocities: q_n + mu |u_t|.
    for (int i = 0; i < problem.num_blocks(); ++i) {
      convex.q(3 * i + 2) = problem.q(3 * i + 2) + lift(i);
    }
    // Interior point from scratch, then Newton to the last digits.
    ConeIterate inner;
    inner.r.setZero(problem.q.size());
    evaluate(convex, inner);
    const ConeResult interior =
        solve_interior_point(convex, {kConvexTolerance, kInteriorSteps}, work, inner);
    const ConeResult polish = solve_semismooth_newton(
        convex, {kConvexTolerance, settings.target_residual, kConvexNewtonSteps}, work, inner);
    // The solution under Coulomb's law, its own correction, and Newton from there.
    ConeIterate point;
    point.r = inner.r;
    evaluate(problem, point);
    const Eigen::VectorXd mapped = lifts(problem, point.u);
    keep_best(point, iterate);
    const ConeResult last = solve_semismooth_newton(
        problem, {settings.tolerance, settings.target_residual, kLastNewtonSteps}, work, point);
    keep_best(point, iterate);
    result.iterations += interior.iterations + polish.iterations + last.iterations;
    if (iterate.residual <= settings.tolerance) {
      result.status = SolveStatus::Converged;
      return result;
    }
    // Fixed point of the corrections, which are not negative.
    lift = mixing.next(lift, mapped).cwiseMax(0.0);
  }
  result.status = SolveStatus::IterationLimit;
  return result;
}

}  // namespace amontons
