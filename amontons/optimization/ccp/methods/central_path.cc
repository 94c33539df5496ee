#include "amontons/optimization/ccp/methods/central_path.h"

#include "amontons/math/elementary.h"
#include "amontons/optimization/ccp/methods/gauss_seidel.h"
#include "amontons/optimization/ccp/methods/primal_dual_point.h"
#include "amontons/optimization/ccp/methods/semismooth_newton.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;
using Direction = PrimalDualPoint::Direction;

constexpr double kSmoothing = 0.3;     // eps over tau [-]
constexpr double kNear = 0.05;         // distance [-] from the curve up to which a step follows it
constexpr double kLongest = 3.0;       // arc length [-] of a step, near a change of tau by e^3
constexpr double kShortest = 1e-3;     // arc length [-] that is tried whatever the boundary
constexpr double kToBoundary = 0.7;    // share of the way to the boundary that a step may take
constexpr double kPolishBelow = 1e-3;  // residual [-] from which Newton's method may finish
constexpr int kPolishSteps = 12, kPolishSweeps = 100;  // limits of one try to finish
constexpr double kLastTau = 1e-16, kLargestTau = 1e3;  // ends of the path: rounding, and no return

/// Follows the curve step by step.
class CentralPath {
 public:
  CentralPath(const ConeProblem& problem, const CentralPathSettings& settings, ConeWorkspace& work,
              ConeIterate& best)
      : problem_(problem), settings_(settings), work_(work), point_(problem, work), best_(best) {
    // d is the dual residual of the first point, so that this point lies on the curve at tau = 1.
    const Eigen::Index rows = 3 * point_.size();
    point_.set_smoothing(kSmoothing * tau_);
    start_residual_.resize(rows);
    for (int i = 0; i < point_.size(); ++i) {
      start_residual_.segment<3>(3 * i) = point_.dual_residual(i);
    }
    residual_.resize(rows);
    target_.setZero(rows);
    tangent_.r.setZero(rows);
    tangent_.y.setZero(rows);
  }

  ConeResult run() {
    ConeResult result;
    // Each step: measure, try to finish, factor once, move.
    for (int step = 0; step < settings_.max_steps; ++step, ++result.iterations) {
      point_.to_iterate(candidate_);
      keep_best(candidate_, best_);
      polish(result);
      if (best_.residual <= settings_.tolerance) break;
      point_.set_smoothing(kSmoothing * tau_);
      if (!point_.factor() || !advance()) {
        result.status = SolveStatus::NumericalFailure;
        return result;
      }
      if (!(tau_ > kLastTau) || tau_ > kLargestTau) break;
    }
    result.status = best_.residual <= settings_.tolerance ? SolveStatus::Converged
                                                          : SolveStatus::IterationLimit;
    return result;
  }

 private:
  /// Tries to finish whenever the residual has halved: sweeps, which bring each contact to its own
  /// law, then Newton.
  void polish(ConeResult& result) {
    if (best_.residual > kPolishBelow || best_.residual > 0.5 * last_polished_) return;
    last_polished_ = best_.residual;
    ConeIterate polished = best_;
    solve_gauss_seidel(problem_, {settings_.tolerance, kPolishSweeps, kPolishSweeps}, work_,
                       polished);
    keep_best(polished, best_);
    const NewtonSettings newton{.tolerance = settings_.tolerance, .max_iterations = kPolishSteps};
    result.iterations += solve_semismooth_newton(problem_, newton, work_, polished).iterations;
    keep_best(polished, best_);
  }

  /// Takes one step: back to the curve, and along it where the point is near.
  bool advance() {
    to_curve();
    along_curve();
    const double length = std::sqrt(inner(slope_, slope_) + 1.0);
    // The tangent in (r, y, ln tau), oriented as the last one.
    const double turn = inner(tangent_, slope_) + tangent_log_ >= 0.0 ? 1.0 : -1.0;
    tangent_.r = turn / length * slope_.r;
    tangent_.y = turn / length * slope_.y;
    tangent_log_ = turn / length;
    // Back to the curve at right angles to it.
    const double shift = -inner(tangent_, back_) * turn / length;
    back_.r += shift * slope_.r;
    back_.y += shift * slope_.y;
    const double distance = std::sqrt(inner(back_, back_) + shift * shift);
    // The arc is shortened until the step stays inside the cones.
    choose_arc(distance);
    double arc = distance <= kNear ? arc_ : 0.0;
    for (;; arc *= 0.7) {
      step_.r = back_.r + arc * tangent_.r;
      step_.y = back_.y + arc * tangent_.y;
      if (arc < kShortest || kToBoundary * point_.longest_step(step_) >= 1.0) break;
    }
    // Second-order terms keep the point near the curve over a long step.
    const double log_growth = shift + arc * tangent_log_;
    add_curvature(log_growth);
    if (!step_.r.allFinite() || !step_.y.allFinite()) return false;
    const double share = std::min(1.0, 0.9 * point_.longest_step(step_));
    point_.move(step_, share);
    tau_ *= elementary::exp(share * log_growth);
    last_arc_ = share * arc;
    return true;
  }

  /// Chooses the arc length: shorter after a step that missed the curve, longer after one that met
  /// it.
  void choose_arc(double distance) {
    if (last_arc_ > 0.0) {
      arc_ = distance > kNear ? 0.5 * last_arc_
                              : std::min(2.0 * std::max(last_arc_, 0.5 * arc_), kLongest);
    } else if (distance > kNear) {
      arc_ = std::max(0.5 * arc_, kShortest);
    }
  }

  /// Returns the product of two directions in the local norm of the point.
  double inner(const Direction& a, const Direction& b) const {
    return point_.inner(a, b) / (2.0 * point_.size() * tau_);
  }

  /// Computes back_: Newton's direction to the curve at this tau.
  void to_curve() {
    // Targets: dual residual tau d, complementarity tau e.
    for (int i = 0; i < point_.size(); ++i) {
      residual_.segment<3>(3 * i) =
          point_.dual_residual(i) - tau_ * start_residual_.segment<3>(3 * i);
      if (!point_.has_complementarity(i)) continue;
      target_.segment<3>(3 * i) = -point_.complementarity(i);
      target_(3 * i) += tau_;
    }
    point_.solve(residual_, target_, back_);
  }

  /// Computes slope_: d(r, y) / d(ln tau) along the curve.
  void along_curve() {
    const double eps = kSmoothing * tau_;
    for (int i = 0; i < point_.size(); ++i) {
      residual_.segment<3>(3 * i) = -tau_ * start_residual_.segment<3>(3 * i);
      // eps grows with tau: d(mu g) / d(ln tau) = mu eps^2 / g.
      if (point_.is_shifted(i)) {
        residual_(3 * i + 2) += point_.cone(i).mu * eps * eps / point_.slip(point_.velocity(i));
      }
      if (!point_.has_complementarity(i)) continue;
      target_.segment<3>(3 * i) = Vector3d(tau_, 0.0, 0.0);
    }
    point_.solve(residual_, target_, slope_);
  }

  /// Adds the second-order terms that the linearization of step_ omits.
  void add_curvature(double log_growth) {
    const double growth = elementary::exp(log_growth);
    const double eps = kSmoothing * tau_, next_eps = eps * growth;
    const double rest = tau_ * (growth - 1.0 - log_growth);
    problem_.W->apply(step_.r, velocity_change_);
    for (int i = 0; i < point_.size(); ++i) {
      residual_.segment<3>(3 * i) = -rest * start_residual_.segment<3>(3 * i);
      // g is a square root: its exact change less its linear part.
      if (point_.is_shifted(i)) {
        const Vector3d u = point_.velocity(i);
        const Vector2d du = velocity_change_.segment<2>(3 * i);
        const double slip = point_.slip(u);
        const double next = std::hypot((u.head<2>() + du).norm(), next_eps);
        const double linear = (u.head<2>().dot(du) + eps * eps * log_growth) / slip;
        residual_(3 * i + 2) += point_.cone(i).mu * (next - slip - linear);
      }
      // r o y: the product of the steps, and the curvature of tau in ln tau.
      if (!point_.has_complementarity(i)) continue;
      target_.segment<3>(3 * i) = -point_.second_order(step_, i);
      target_(3 * i) += rest;
    }
    point_.solve(residual_, target_, curvature_);
    step_.r += curvature_.r;
    step_.y += curvature_.y;
  }

  const ConeProblem& problem_;
  const CentralPathSettings& settings_;
  ConeWorkspace& work_;
  PrimalDualPoint point_;
  ConeIterate& best_;
  ConeIterate candidate_;
  Eigen::VectorXd start_residual_, residual_, target_, velocity_change_;
  Direction tangent_, slope_, back_, step_, curvature_;
  double tangent_log_ = -1.0;  // component of ln tau: the path begins towards smaller tau
  double tau_ = 1.0;
  double arc_ = 1.0, last_arc_ = 0.0;
  double last_polished_ = 1e30;
};

}  // namespace

ConeResult follow_central_path(const ConeProblem& problem, const CentralPathSettings& settings,
                               ConeWorkspace& work, ConeIterate& iterate) {
  if (!are_round_cones(problem)) return {};
  return CentralPath(problem, settings, work, iterate).run();
}

}  // namespace amontons
