#include "amontons/geometry/convex/witness_points.h"

#include "amontons/geometry/convex/polygon_clipping.h"

#include <Eigen/Geometry>

#include <algorithm>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;

// Lean of a feature that still lies in the support plane: sine [-].
constexpr double kFlatSine = 1e-9;

/// Returns the feature's point nearest to p.
Vector3d nearest_in_outline(const SupportFeature& feature, const Vector3d& p) {
  const auto corner = [&](int k) -> const Vector3d& {
    return feature.vertices[static_cast<std::size_t>(k % feature.count)].position;
  };
  Vector3d best = corner(0);
  bool inside = feature.count > 2;
  // The nearest point of the border counts unless p lies left of all edges.
  for (int k = 0; k < feature.count; ++k) {
    const Vector3d along = corner(k + 1) - corner(k);
    const double length_squared = along.squaredNorm();
    const double s = length_squared > 0.0 ? along.dot(p - corner(k)) / length_squared : 0.0;
    const Vector3d candidate = corner(k) + std::clamp(s, 0.0, 1.0) * along;
    if ((candidate - p).squaredNorm() < (best - p).squaredNorm()) best = candidate;
    inside = inside && feature.plane_normal.dot(along.cross(p - corner(k))) >= 0.0;
  }
  return inside ? p : best;
}

/// Returns a point of the other shape's feature within a cylinder's cap. It serves where the cap's
/// polygon misses the last part between its sides and the circle.
std::optional<Vector3d> within_cap(const ConvexCore& cylinder, const ConvexCore& other,
                                   const SupportFeature& on_cap, const SupportFeature& on_other,
                                   double slack) {
  const Vector3d& axis = on_cap.plane_normal;
  const auto project = [&](const Vector3d& x) -> Vector3d {
    return x - axis.dot(x - on_cap.vertices[0].position) * axis;
  };
  // Seen along the axis: the point of the other cap, or of the other outline, nearest to the
  // center.
  const Vector3d center = project(cylinder.p);
  Vector3d nearest;
  if (other.type == CoreType::Cylinder && on_other.count > 2) {
    const Vector3d offset = center - project(other.p);
    const double distance = offset.norm();
    const double reach = std::min(1.0, other.half.x() / std::max(distance, slack));
    nearest = project(other.p) + reach * offset;
  } else {
    const double height = axis.dot(on_other.vertices[0].position - center);
    nearest = project(nearest_in_outline(on_other, center + height * axis));
  }
  if ((nearest - center).norm() > cylinder.half.x() + slack) return std::nullopt;
  return nearest;
}

}  // namespace

std::optional<Separation> find_witness_points(const CorePair& pair, double distance,
                                              const Vector3d& n, double slack) {
  const FeatureTolerance exact{kFlatSine, 0.0};
  const SupportFeature on_A = support_feature(pair.A, n, exact);
  const SupportFeature on_B = support_feature(pair.B, -n, exact);
  // The middle of the common part's corners, on B's feature.
  const FeatureOverlap common = overlap(on_A, on_B, n, slack);
  std::optional<Vector3d> meeting;
  if (common.count > 0) {
    Vector3d sum = Vector3d::Zero();
    for (int k = 0; k < common.count; ++k) sum += common.points[static_cast<std::size_t>(k)].b;
    meeting = sum / common.count;
  } else if (pair.A.type == CoreType::Cylinder && on_A.count > 2) {
    meeting = within_cap(pair.A, pair.B, on_A, on_B, slack);
  } else if (pair.B.type == CoreType::Cylinder && on_B.count > 2) {
    meeting = within_cap(pair.B, pair.A, on_B, on_A, slack);
  }
  if (!meeting) return std::nullopt;
  // The point is moved exactly onto B's support plane, as features may lean by rounding.
  const Vector3d b = *meeting + n.dot(support(pair.B, -n) - *meeting) * n;
  return Separation{distance, n, b - distance * n, b};
}

}  // namespace amontons::narrow_phase
