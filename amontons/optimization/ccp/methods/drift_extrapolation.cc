#include "amontons/optimization/ccp/methods/drift_extrapolation.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace amontons {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kSteadyChange = 0.2;  // relative change [-] up to which a move is the same one
constexpr double kGrowth = 4.0;        // growth of the reach while the move keeps its size
constexpr double kLostSize = 0.5;      // share of its size below which a jump has helped
constexpr double kMinRepeats = 2.0;    // smallest number of moves worth a jump
constexpr double kAtRim = 1.0 - 1e-9;  // share of the friction disc: sliding, up to rounding

/// Returns the least s > 0 at which r + s e leaves the cone; infinity if none, or if it slides
/// already.
double to_boundary(const Cone& cone, const Vector3d& r, const Vector3d& e) {
  double least = std::numeric_limits<double>::infinity();
  if (!(r.z() > 0.0)) return least;
  if (e.z() < 0.0) least = -r.z() / e.z();
  // The normal reaction reaches zero, or the tangential one the rim.
  const double radius = cone.mu * r.z() + cone.friction_offset, growth = cone.mu * e.z();
  const Vector2d r_t = r.head<2>(), e_t = e.head<2>();
  if (r_t.norm() >= kAtRim * radius) return least;
  // |r_t + s e_t|^2 = (radius + s growth)^2:  A s^2 + 2 B s + C = 0, C < 0.
  const double A = e_t.squaredNorm() - growth * growth, B = r_t.dot(e_t) - radius * growth,
               C = r_t.squaredNorm() - radius * radius, discriminant = B * B - A * C;
  if (!(discriminant >= 0.0)) return least;
  const double below = B + std::sqrt(discriminant);
  return below > 0.0 ? std::min(least, -C / below) : least;
}

}  // namespace

/// Returns the number of moves until the first contact changes its mode.
double DriftExtrapolation::to_change_of_mode(const Eigen::VectorXd& r) const {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < problem_.num_blocks(); ++i) {
    const Cone& cone = problem_.cones[static_cast<std::size_t>(i)];
    if (cone.kind == ConeKind::Equality) continue;
    least = std::min(least, to_boundary(cone, r.segment<3>(3 * i), last_.segment<3>(3 * i)));
  }
  return least;
}

double DriftExtrapolation::repeats(const Eigen::VectorXd& from, const Eigen::VectorXd& to) {
  // The relative change of the move shows whether it drifts.
  move_ = to - from;
  const double size = move_.norm();
  const bool known = last_.size() > 0;
  const double change = known ? (move_ - last_).norm() / size : 1.0;
  std::swap(move_, last_);
  if (!(change < kSteadyChange)) {
    num_steady_moves_ = 0;
    return 0.0;
  }
  // Two steady moves: extrapolate by Aitken's estimate 1 / change, up to the next change of mode.
  if (++num_steady_moves_ < 2) return 0.0;
  const double reach = size > kLostSize * size_before_ ? kGrowth * reach_ : 1.0;
  const double repeats = std::min(reach / change, to_change_of_mode(to));
  if (!(repeats > kMinRepeats) || !std::isfinite(repeats)) return 0.0;
  // After a jump the next move has no predecessor.
  reach_ = reach;
  size_before_ = size;
  num_steady_moves_ = 0;
  last_.resize(0);
  return repeats;
}

}  // namespace amontons
