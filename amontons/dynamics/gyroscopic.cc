#include "amontons/dynamics/gyroscopic.h"

#include "amontons/math/elementary.h"
#include "amontons/math/rotation.h"

#include <Eigen/LU>

#include <algorithm>
#include <limits>

namespace amontons {
namespace {

/// Returns d/dphi of the rotation vector: exp(phi + d) = exp(J(phi) d) exp(phi) to first order in
/// d.
Eigen::Matrix3d left_jacobian(const Eigen::Vector3d& phi) {
  const double angle = phi.norm();
  // Below this angle the series' next terms are under rounding.
  const bool is_small = angle < 1e-3;
  const double square = angle * angle;
  const double a = is_small ? 0.5 - square / 24.0 : (1.0 - elementary::cos(angle)) / square;
  const double b =
      is_small ? 1.0 / 6.0 - square / 120.0 : (angle - elementary::sin(angle)) / (square * angle);
  const Eigen::Matrix3d cross = skew(phi);
  return Eigen::Matrix3d::Identity() + a * cross + b * cross * cross;
}

/// Holds the equation I w = exp(-h [w]) L and its residual at one w.
struct GyroscopicEquation {
  const Eigen::Matrix3d& inertia;
  const Eigen::Vector3d& momentum;
  double h;

  Eigen::Vector3d turned_momentum(const Eigen::Vector3d& w) const {
    return rotation_from_vector(-h * w) * momentum;
  }
  Eigen::Vector3d residual(const Eigen::Vector3d& w) const {
    return inertia * w - turned_momentum(w);
  }
  /// Returns the rounding of the residual: a needle that turns about its axis has little momentum,
  /// the difference of products with its other moments.
  double rounding(const Eigen::Vector3d& w) const {
    return 2.0 * std::numeric_limits<double>::epsilon() *
           (momentum.norm() + inertia.norm() * w.norm());
  }
  bool is_solved(const Eigen::Vector3d& w) const {
    constexpr double kTolerance = 1e-13;  // relative; rounding leaves h |w| 1e-16
    constexpr double kUnits = 4.0;
    return residual(w).norm() <= std::max(kTolerance * momentum.norm(), kUnits * rounding(w));
  }
};

/// Solves the equation by Newton's method with halving of steps that do not reduce the residual. It
/// iterates down to rounding, so that the momentum of a long run drifts no faster than its
/// rounding.
Eigen::Vector3d newton(const GyroscopicEquation& equation, Eigen::Vector3d w) {
  // Convergence is quadratic; both limits only end a search without a solution.
  constexpr int kMaxIterations = 50;
  // A millionth of a step: below it the direction does not reduce the residual.
  constexpr int kMaxHalvings = 20;
  double error = equation.residual(w).norm();
  for (int iteration = 0; iteration < kMaxIterations && error > equation.rounding(w); ++iteration) {
    // Derivative of the residual: I - h [exp(-h [w]) L] J(-h w), J the left Jacobian.
    const Eigen::Matrix3d slope = equation.inertia - equation.h *
                                                         skew(equation.turned_momentum(w)) *
                                                         left_jacobian(-equation.h * w);
    Eigen::Vector3d step = slope.partialPivLu().solve(equation.residual(w));
    double trial_error = equation.residual(w - step).norm();
    for (int halving = 0; halving < kMaxHalvings && !(trial_error < error); ++halving) {
      step *= 0.5;
      trial_error = equation.residual(w - step).norm();
    }
    if (!(trial_error < error)) break;
    w -= step;
    error = trial_error;
  }
  return w;
}

}  // namespace

GyroscopicStep implicit_gyroscopic_step(const Eigen::Matrix3d& inertia_W,
                                        const Eigen::Vector3d& momentum_W,
                                        const Eigen::Vector3d& initial_guess, double h) {
  // Without momentum the body does not turn.
  if (momentum_W.isZero(0.0)) return {Eigen::Vector3d::Zero(), SolveStatus::Converged};
  const GyroscopicEquation full_step{inertia_W, momentum_W, h};
  Eigen::Vector3d w = newton(full_step, initial_guess);
  if (full_step.is_solved(w)) return {w, SolveStatus::Converged};

  // At h = 0 the solution is known; follow it to h, in strides as long as Newton's method allows.
  // Shortest continuation step, as a share of h.
  constexpr double kShortestStride = 1.0 / 1024.0;
  const Eigen::Vector3d at_zero = inertia_W.partialPivLu().solve(momentum_W);
  if (!at_zero.allFinite()) return {at_zero, SolveStatus::NumericalFailure};
  w = at_zero;
  double reached = 0.0;
  for (double stride = 0.25; reached < 1.0 && stride >= kShortestStride;) {
    // The last solution starts Newton's method at a longer step; strides adapt to its success.
    const double next = std::min(1.0, reached + stride);
    const GyroscopicEquation part{inertia_W, momentum_W, next * h};
    const Eigen::Vector3d w_next = newton(part, w);
    if (part.is_solved(w_next)) {
      w = w_next;
      reached = next;
      stride *= 2.0;
    } else {
      stride *= 0.5;
    }
  }
  if (reached == 1.0) return {w, SolveStatus::Converged};
  return {at_zero, SolveStatus::Safe};
}

Eigen::Vector3d implicit_gyroscopic_velocity(const Eigen::Matrix3d& inertia_W,
                                             const Eigen::Vector3d& momentum_W,
                                             const Eigen::Vector3d& initial_guess, double h) {
  return implicit_gyroscopic_step(inertia_W, momentum_W, initial_guess, h).velocity;
}

}  // namespace amontons
