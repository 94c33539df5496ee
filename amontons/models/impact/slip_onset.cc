#include "amontons/models/impact/slip_onset.h"

#include <Eigen/Eigenvalues>

namespace amontons {
namespace {

using Eigen::Vector2d;

// Share of the larger eigenvalue of K_tt below which the other is rounding [-].
constexpr double kSingular = 1e-12;

}  // namespace

SlipOnset find_slip_onset(const Eigen::Matrix3d& K, double mu) {
  // In the eigenvectors of K_tt its inverse is a division.
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> axes;
  axes.computeDirect(K.topLeftCorner<2, 2>());
  const Vector2d stiffness = axes.eigenvalues().cwiseMax(0.0);
  const Vector2d pull = axes.eigenvectors().transpose() * K.block<2, 1>(0, 2);
  Vector2d hold = Vector2d::Zero();
  for (int i = 0; i < 2; ++i) {
    if (stiffness(i) > kSingular * stiffness(1)) hold(i) = pull(i) / stiffness(i);
  }
  // It sticks if K_tt^-1 K_tn lies within the cone.
  if (hold.norm() <= mu) return {true, -(axes.eigenvectors() * hold)};

  // Reverse slip: bisection for the g > 0 with |(g + mu K_tt)^-1 K_tn| = 1.
  const auto direction = [&](double g) {
    return Vector2d(pull.x() / (g + mu * stiffness.x()), pull.y() / (g + mu * stiffness.y()));
  };
  double low = 0.0, high = pull.norm();
  // Bound: bisection ends where no number lies between, after 2000 halvings at most.
  while (true) {
    const double g = 0.5 * (low + high);
    if (!(g > low && g < high)) break;
    (direction(g).norm() > 1.0 ? low : high) = g;
  }
  return {false, -mu * (axes.eigenvectors() * direction(high).normalized())};
}

}  // namespace amontons
