#include "amontons/optimization/ccp/capped/body_friction.h"

#include "amontons/math/effort.h"
#include "amontons/optimization/ccp/capped/body_friction_interior.h"
#include "amontons/optimization/ccp/capped/body_friction_kernel.h"
#include "amontons/optimization/ccp/capped/body_friction_newton.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kLeastShifts[] = {1e-8, 1e-6, 1e-4};  // of Newton's method, in turn [-]
// Tolerances within which a point will do once a method has ended at it: still a third of what the
// certificate allows.
constexpr double kAcceptable = 30.0;
constexpr int kWarmSteps = 7;       // Newton steps from a guess
constexpr Index kFew = 10;          // contacts whose guess is tried however far it is
constexpr double kFarGuess = 1e-2;  // residual [-] beyond which a guess of many is not tried
constexpr double kAtRest = 0.1;     // share of the tolerance within which a guess is kept [-]
// Compliances of the interior point method [-]: the first has the most digits; with smaller ones
// multipliers may become large.
constexpr double kCompliances[] = {1e-8, 1e-10, 1e-12};
// Residuals [-] at which the interior point method pauses for a few of Newton's steps, and ends.
constexpr double kPause = 1e-5, kEnough = 1e-11;
constexpr int kFewSteps = 8;
constexpr double kNeedsNone = 1e-7;  // residual of a point that may need no multipliers [-]

/// Runs the methods on a problem in units in which the largest speed is 1.
class Strategy {
 public:
  Strategy(const BodyFrictionProblem& problem, const CappedFrictionSettings& settings)
      : problem_(problem), settings_(settings) {
    kernel_.reset(*problem.G, problem.weights);
    newton_.tolerance = settings.tolerance;
    newton_.target_residual = settings.target_residual;
  }

  /// Makes a guess without multipliers the best point.
  /// @returns true if it solves the problem as it is, as bodies at rest do.
  bool keeps(const VectorXd& guess, CappedFrictionPoint& best) const {
    best = without_multipliers(guess);
    BodyFrictionMaps maps;
    maps.evaluate(problem_, best);
    best.residual = maps.largest();
    return best.residual <= std::max(settings_.target_residual, kAtRest * settings_.tolerance);
  }

  /// Runs Newton's method from the best point, a guess. Where many contacts are far from it, they
  /// need the interior point method anyway.
  bool from_guess(CappedFrictionPoint& best) {
    if (problem_.num_contacts() > kFew && best.residual > kFarGuess) return false;
    run_newton(best, kWarmSteps);
    return best.residual <= settings_.tolerance;
  }

  /// Runs the interior point method, and Newton's method and the proximal point method from its
  /// end, with one compliance after the other until the tolerance is met.
  void from_interior(CappedFrictionPoint& best) {
    for (const double compliance : kCompliances) {
      BodyFrictionInterior interior(problem_, compliance, kernel_);
      CappedFrictionPoint point;
      point.residual = std::numeric_limits<double>::infinity();
      // Mostly Newton's method needs a few digits; where bodies are redundant it needs all.
      CappedFrictionPoint end = run_interior(interior, kPause, point);
      run_newton(end, kFewSteps);
      if (end.residual < best.residual) best = end;
      if (!will_do(end) && !is_spent()) {
        end = run_interior(interior, kEnough, point);
        finish(end);
        if (end.residual < best.residual) best = end;
      }
      if (will_do(best) || is_spent()) break;
    }
    drop_multipliers(best);
  }

  CappedFrictionResult result;

 private:
  /// Returns true if no further method is needed.
  bool will_do(const CappedFrictionPoint& point) const {
    return point.residual <= kAcceptable * settings_.tolerance;
  }

  /// Returns how many steps all methods together may still take.
  int steps_left() const {
    return std::max(0, settings_.max_steps - result.interior_steps - result.newton_steps);
  }

  bool is_spent() const { return steps_left() == 0 || !has_effort(); }

  /// Runs the interior point method until the residual is `enough`.
  /// @param point  the best point met, kept from run to run.
  /// @returns that point with its price raised where the cap is zero.
  CappedFrictionPoint run_interior(BodyFrictionInterior& interior, double enough,
                                   CappedFrictionPoint& point) {
    const int limit = std::min(settings_.max_interior_steps, steps_left());
    result.interior_steps += interior.run(enough, limit, point);
    CappedFrictionPoint end = point;
    price_out(end);
    return end;
  }

  /// Runs Newton's method from the end of the interior point method, with growing shifts, and then
  /// the proximal point method.
  void finish(CappedFrictionPoint& point) {
    for (const double least_shift : kLeastShifts) {
      newton_.least_shift = least_shift;
      run_newton(point, settings_.max_newton_steps);
      if (will_do(point)) break;
    }
    newton_.least_shift = kLeastShifts[0];
    if (will_do(point)) return;
    newton_.max_steps = std::min(settings_.max_newton_steps, steps_left());
    result.newton_steps += solve_proximal(problem_, newton_, kernel_, point);
  }

  /// Runs Newton's method from a point, for a number of steps at most.
  void run_newton(CappedFrictionPoint& point, int max_steps) {
    newton_.max_steps = std::min({max_steps, settings_.max_newton_steps, steps_left()});
    result.newton_steps += solve_newton(problem_, newton_, kernel_, point);
  }

  CappedFrictionPoint without_multipliers(const VectorXd& x) const {
    return {x, VectorXd::Zero(problem_.num_contacts()), {}, 0.0, 0.0};
  }

  /// Raises the price, where the cap is zero, until no normal part is worth its cost.
  void price_out(CappedFrictionPoint& point) {
    BodyFrictionMaps maps;
    maps.evaluate(problem_, point);
    if (!(problem_.cap > 0.0)) {
      double raise = 0.0;
      for (Index i = 0; i < problem_.num_contacts(); ++i) {
        if (problem_.is_closed(i) || problem_.may_press(i)) continue;
        const Cone& own = problem_.cone(i);
        const Vector3d gamma = maps.gamma.segment<3>(3 * i);
        const double reach =
            (point.x.segment<2>(3 * i) - gamma.head<2>()).norm() - own.friction_offset;
        raise = std::max(raise, (own.mu * std::max(reach, 0.0) - gamma.z()) / problem_.weights(i));
      }
      point.price += raise;
      maps.evaluate(problem_, point);
    }
    point.residual = maps.largest();
  }

  /// Drops multipliers where the point needs none. An interior point leaves them of any size where
  /// conditions repeat each other, and their rounding hides the small speeds of a body at rest.
  void drop_multipliers(CappedFrictionPoint& best) {
    CappedFrictionPoint without = without_multipliers(best.x);
    BodyFrictionMaps maps;
    maps.evaluate(problem_, without);
    if (!(maps.largest() <= kNeedsNone)) return;
    run_newton(without, settings_.max_newton_steps);
    if (without.residual <= std::max(settings_.tolerance, best.residual)) best = without;
  }

  const BodyFrictionProblem& problem_;
  const CappedFrictionSettings& settings_;
  BodyFrictionKernel kernel_;
  BodyFrictionNewtonSettings newton_;
};

/// Projects the point: reactions inside their cones. Contacts that open carry exactly nothing.
void project_point(const BodyFrictionProblem& problem, CappedFrictionPoint& point) {
  BodyFrictionMaps maps;
  maps.evaluate(problem, point);
  for (Index i = 0; i < problem.num_contacts(); ++i) {
    const Vector3d r = point.x.segment<3>(3 * i), gamma = maps.gamma.segment<3>(3 * i);
    const bool opens =
        problem.is_closed(i) || project(problem.cone(i), Vector3d(r - gamma)).isZero(0.0);
    point.x.segment<3>(3 * i) = opens ? Vector3d::Zero() : nearest_reaction(problem, i, r);
  }
  point.multipliers = point.multipliers.cwiseMax(0.0);
  point.price = std::max(point.price, 0.0);
  maps.evaluate(problem, point);
  point.residual = maps.largest();
}

/// Returns the problem in units in which the largest of |q| and |c| is `size`.
BodyFrictionProblem in_units(const BodyFrictionProblem& problem, double size) {
  BodyFrictionProblem unit = problem;
  unit.q /= size;
  unit.c /= size;
  unit.cap /= size;
  unit.normals /= size;
  for (Cone& own : unit.cones) own.friction_offset /= size;
  return unit;
}

}  // namespace

void BodyFrictionMaps::evaluate(const BodyFrictionProblem& problem,
                                const CappedFrictionPoint& point) {
  measure_motion(problem, point);
  apply_laws(problem, point);
}

void BodyFrictionMaps::evaluate(const BodyFrictionProblem& problem,
                                const CappedFrictionPoint& point, double weight,
                                const CappedFrictionPoint& center) {
  measure_motion(problem, point);
  gamma += weight * (point.x - center.x);
  slack += weight * (point.multipliers - center.multipliers);
  cap_slack += weight * (point.price - center.price);
  apply_laws(problem, point);
}

/// Computes gamma = G (G'x - G_n' lambda) + q + price a n, (W x)_n + c and cap - a'x_n.
void BodyFrictionMaps::measure_motion(const BodyFrictionProblem& problem,
                                      const CappedFrictionPoint& point) {
  const Index n = problem.num_contacts();
  problem.G->transpose_times(point.x, velocity_);
  problem.G->times(velocity_, gamma);
  slack = problem.c;
  cap_slack = problem.cap;
  driver_ = point.x;
  for (Index i = 0; i < n; ++i) {
    slack(i) += gamma(3 * i + 2);
    cap_slack -= problem.weights(i) * point.x(3 * i + 2);
    driver_(3 * i + 2) -= point.multipliers(i);
  }
  if (!point.multipliers.isZero(0.0)) {
    problem.G->transpose_times(driver_, velocity_);
    problem.G->times(velocity_, gamma);
  }
  gamma += problem.q;
  for (Index i = 0; i < n; ++i) gamma(3 * i + 2) += point.price * problem.weights(i);
}

/// Computes x - P_K(x - gamma), min(lambda, slack) and min(price, cap_slack).
void BodyFrictionMaps::apply_laws(const BodyFrictionProblem& problem,
                                  const CappedFrictionPoint& point) {
  const Index n = problem.num_contacts();
  reaction.resize(3 * n);
  normal.resize(n);
  for (Index i = 0; i < n; ++i) {
    const Vector3d r = point.x.segment<3>(3 * i);
    reaction.segment<3>(3 * i) =
        problem.is_closed(i)
            ? r
            : Vector3d(r - project(problem.cone(i), Vector3d(r - gamma.segment<3>(3 * i))));
    normal(i) = std::min(point.multipliers(i), slack(i));
  }
  price = std::min(point.price, cap_slack);
}

double BodyFrictionMaps::norm() const {
  return std::sqrt(reaction.squaredNorm() + normal.squaredNorm() + price * price);
}

double BodyFrictionMaps::largest() const {
  const double largest = std::max(
      {reaction.lpNorm<Eigen::Infinity>(), normal.lpNorm<Eigen::Infinity>(), std::abs(price)});
  return std::isfinite(norm()) ? largest : std::numeric_limits<double>::infinity();
}

CappedFrictionResult solve_body_friction(const BodyFrictionProblem& problem,
                                         const CappedFrictionSettings& settings,
                                         CappedFrictionPoint& point) {
  // Units in which the largest speed is 1, so that tolerances are relative.
  const double size = speed_scale(problem);
  const BodyFrictionProblem unit = in_units(problem, size);
  Strategy strategy(unit, settings);
  CappedFrictionPoint best;
  best.residual = std::numeric_limits<double>::infinity();
  if (point.x.size() > 0 && strategy.keeps(point.x / size, best)) {
    // Not a bit of the guess changes, so that bodies at rest stay recognizable.
    point.multipliers = VectorXd::Zero(problem.num_contacts());
    point.residual = size * best.residual;
    strategy.result.status = SolveStatus::Converged;
    return strategy.result;
  }
  if (point.x.size() == 0 || !strategy.from_guess(best)) strategy.from_interior(best);
  project_point(unit, best);
  strategy.result.status = best.residual <= kAcceptable * settings.tolerance
                               ? SolveStatus::Converged
                               : SolveStatus::Stalled;
  point = {size * best.x, size * best.multipliers, VectorXd(), size * best.price,
           size * best.residual};
  return strategy.result;
}

}  // namespace amontons
