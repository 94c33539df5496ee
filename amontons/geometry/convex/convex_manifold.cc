#include "amontons/geometry/convex/convex_manifold.h"

#include "amontons/geometry/convex/manifold_reduction.h"
#include "amontons/geometry/convex/outline_contacts.h"
#include "amontons/geometry/convex/passing_normal.h"
#include "amontons/geometry/convex/separation.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <limits>
#include <optional>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;

// Lateral distance below which points of a manifold are one, relative to the smaller core [-].
constexpr double kLateralSlack = 1e-6;
// A manifold whose least gap exceeds the distance by more than this, relative to the sizes, lacks
// the nearest points [-].
constexpr double kGapTolerance = 1e-9;

/// Returns the face's normal where the contact normal agrees with it to rounding, else the contact
/// normal.
Vector3d align_with_face(const Vector3d& n, const SupportFeature& on_A,
                         const SupportFeature& on_B) {
  if (on_A.count > 2 && on_A.plane_normal.cross(n).norm() < kParallelSine) {
    return on_A.plane_normal;
  }
  if (on_B.count > 2 && on_B.plane_normal.cross(n).norm() < kParallelSine) {
    return -on_B.plane_normal;
  }
  return n;
}

/// Adds the witness points of the distance to a ring.
void add_nearest(const Separation& nearest, std::uint32_t feature, FeatureOverlap& ring) {
  ring.points[static_cast<std::size_t>(ring.count++)] = {nearest.a, nearest.b, nearest.distance,
                                                         feature};
}

/// Returns the part of a vector across an axis, as a unit vector; zero along the axis.
Vector3d across(const Vector3d& v, const Vector3d& axis) {
  const Vector3d part = v - axis.dot(v) * axis;
  return part.norm() > kParallelSine ? Vector3d(part.normalized()) : Vector3d(Vector3d::Zero());
}

/// Returns the way of a point of a round shape from where the normal is one vector to where it is
/// another [m]: on a ball, on an ellipsoid, or on the side of a cylinder. None for other shapes.
std::optional<Vector3d> way_around(const ConvexCore& core, const Vector3d& from,
                                   const Vector3d& to) {
  if (core.radius > 0.0) return core.radius * (to - from);
  if (core.type == CoreType::Ellipsoid) return support(core, to) - support(core, from);
  const Vector3d axis = core.R.col(2);
  const bool is_side = core.type == CoreType::Cylinder && std::abs(axis.dot(from)) <= kParallelSine;
  const Vector3d end = across(to, axis);
  if (!is_side || end.isZero(0.0)) return std::nullopt;
  return core.half.x() * (end - across(from, axis));
}

/// Measures the gaps of a ring along another normal n than that of the distance. Its points move on
/// the round shapes, and lie over or under them. None has a smaller gap than the shapes.
void turn_ring(const CorePair& pair, const Vector3d& from, const Vector3d& n,
               FeatureOverlap& ring) {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < ring.count; ++k) {
    FeatureOverlap::Point& point = ring.points[static_cast<std::size_t>(k)];
    const std::optional<Vector3d> way_a = way_around(pair.A, from, n);
    const std::optional<Vector3d> way_b = way_around(pair.B, -from, -n);
    if (way_a) point.a += *way_a;
    if (way_b) point.b += *way_b;
    point.gap = n.dot(point.b - point.a);
    // A ball that rolls over a seam touches the next tile below its middle, not at the edge.
    if (way_b) {
      point.a = point.b - point.gap * n;
    } else if (way_a) {
      point.b = point.a + point.gap * n;
    }
    least = std::min(least, point.gap);
  }
  const double excess = least - gap_along(pair, n);
  for (int k = 0; k < ring.count; ++k) {
    ring.points[static_cast<std::size_t>(k)].gap -= excess;
  }
}

/// Appends the manifold of two shapes whose distance is known.
void append_features(const CorePair& pair, const Separation& nearest, double horizon,
                     const ClosingMotion* motion, std::vector<ContactPoint>& contacts) {
  std::optional<Vector3d> passing;
  if (motion != nullptr) passing = passing_normal(pair, nearest, *motion);
  // A point or ellipsoid touches in one point.
  if (!has_flat_features(pair.A) || !has_flat_features(pair.B)) {
    if (!passing) return append(nearest, 0, contacts);
    FeatureOverlap point;
    add_nearest(nearest, 0, point);
    turn_ring(pair, nearest.normal, *passing, point);
    return append(point, *passing, contacts);
  }
  // Faces and edges that support the shapes along the normal, clipped against each other.
  const FeatureTolerance tolerance{kManifoldSine, horizon - nearest.distance};
  const SupportFeature on_A = support_feature(pair.A, nearest.normal, tolerance);
  const SupportFeature on_B = support_feature(pair.B, -nearest.normal, tolerance);
  const Vector3d normal = align_with_face(nearest.normal, on_A, on_B);
  FeatureOverlap ring =
      overlap(on_A, on_B, normal, kLateralSlack * std::min(pair.A.size, pair.B.size));
  // The least gap of all points says if the nearest points are in the ring.
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < ring.count; ++k) {
    least = std::min(least, ring.points[static_cast<std::size_t>(k)].gap);
  }
  keep_within(horizon, ring);
  if (pair.A.type == CoreType::Cylinder || pair.B.type == CoreType::Cylinder) thin_cap(ring);
  reduce_ring(ring);
  // Features of a leaning pair may miss the nearest points, which then replace one of the ring.
  if (least > nearest.distance + kGapTolerance * pair.size()) {
    reduce_ring(ring, kMaxManifoldPoints - 1);
    const std::uint32_t feature = static_cast<std::uint32_t>(on_A.vertices[0].id) << 14 |
                                  static_cast<std::uint32_t>(on_B.vertices[0].id);
    add_nearest(nearest, feature, ring);
  }
  if (passing) turn_ring(pair, nearest.normal, *passing, ring);
  append(ring, passing.value_or(normal), contacts);
}

}  // namespace

void append(const Separation& nearest, std::uint32_t feature, std::vector<ContactPoint>& contacts) {
  contacts.push_back({0.5 * (nearest.a + nearest.b), nearest.normal, nearest.distance, feature});
}

void append(const FeatureOverlap& ring, const Vector3d& normal,
            std::vector<ContactPoint>& contacts) {
  for (int k = 0; k < ring.count; ++k) {
    const FeatureOverlap::Point& point = ring.points[static_cast<std::size_t>(k)];
    contacts.push_back({0.5 * (point.a + point.b), normal, point.gap, point.feature});
  }
}

void convex_manifold(const CorePair& pair, double horizon, const ClosingMotion* motion,
                     std::vector<ContactPoint>& contacts) {
  // Bounding balls farther apart than the horizon save the search for the distance.
  const double reach = pair.size() + horizon;
  if ((pair.B.p - pair.A.p).squaredNorm() > reach * reach) return;
  const Separation nearest = separation(pair, horizon);
  if (!(nearest.distance <= horizon)) return;
  append_features(pair, nearest, horizon, motion, contacts);
  if (motion != nullptr) append_outline(pair, nearest, horizon, *motion, contacts);
}

}  // namespace amontons::narrow_phase
