#include "amontons/dynamics/gyroscopic.h"

#include "amontons/math/rotation.h"

#include <Eigen/LU>

#include <cmath>
#include <limits>

namespace amontons {
namespace {

// d/dphi of the rotation vector: exp(phi + d) = exp(J(phi) d) exp(phi) to first order in d.
Eigen::Matrix3d left_jacobian(const Eigen::Vector3d& phi) {
  const double angle = phi.norm();
  // Below this angle the series' next terms are under rounding.
  const bool is_small = angle < 1e-3;
  const double square = angle * angle;
  const double a = is_small ? 0.5 - square / 24.0 : (1.0 - std::cos(angle)) / square;
  const double b =
      is_small ? 1.0 / 6.0 - square / 120.0 : (angle - std::sin(angle)) / (square * angle);
  const Eigen::Matrix3d cross = skew(phi);
  return Eigen::Matrix3d::Identity() + a * cross + b * cross * cross;
}

}  // namespace

Eigen::Vector3d implicit_gyroscopic_velocity(const Eigen::Matrix3d& inertia_W,
                                             const Eigen::Vector3d& momentum_W,
                                             const Eigen::Vector3d& initial_guess, double h) {
  constexpr int kMaxIterations = 100;
  constexpr int kMaxHalvings = 30;
  const double rounding = 2.0 * std::numeric_limits<double>::epsilon() * momentum_W.norm();

  Eigen::Vector3d w = initial_guess;
  Eigen::Vector3d turned = rotation_from_vector(-h * w) * momentum_W;
  Eigen::Vector3d residual = inertia_W * w - turned;
  for (int iteration = 0; iteration < kMaxIterations && residual.norm() > rounding; ++iteration) {
    const Eigen::Matrix3d slope = inertia_W - h * skew(turned) * left_jacobian(-h * w);
    const Eigen::Vector3d newton = -slope.partialPivLu().solve(residual);
    double fraction = 1.0;
    bool has_descended = false;
    for (int halving = 0; halving < kMaxHalvings && !has_descended; ++halving) {
      const Eigen::Vector3d w_trial = w + fraction * newton;
      const Eigen::Vector3d turned_trial = rotation_from_vector(-h * w_trial) * momentum_W;
      const Eigen::Vector3d residual_trial = inertia_W * w_trial - turned_trial;
      has_descended = residual_trial.norm() < residual.norm();
      if (has_descended) {
        w = w_trial;
        turned = turned_trial;
        residual = residual_trial;
      }
      fraction *= 0.5;
    }
    if (!has_descended) break;
  }
  return w;
}

}  // namespace amontons
