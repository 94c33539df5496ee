#include "amontons/simulation/detection/flush_shapes.h"

#include "amontons/geometry/broad_phase/broad_phase.h"
#include "amontons/geometry/convex/convex_core.h"
#include "amontons/geometry/shape_kinds.h"
#include "amontons/geometry/signed_distance.h"

#include <algorithm>
#include <cstddef>
#include <map>

namespace amontons {
namespace {

using Eigen::Vector3d;

// Distance up to which a point lies within a shape, and beyond which a shape reaches farther than a
// point, relative to the radius of the smaller shape [-].
constexpr double kFlush = 1e-6;

/// Returns true if a convex shape contains a point and reaches farther along a direction.
bool reaches_beyond(const Shape& shape, const Pose& X_WG, const Vector3d& p_W,
                    const Vector3d& direction_W, double tolerance) {
  const narrow_phase::ConvexCore core = narrow_phase::make_core(shape, X_WG, p_W);
  const double reach = narrow_phase::support(core, direction_W).dot(direction_W) + core.radius;
  if (!(reach > tolerance)) return false;
  const Pose X_WP{Eigen::Matrix3d::Identity(), p_W};
  return signed_distance(Sphere{tolerance}, X_WP, shape, X_WG).distance <= 0.0;
}

}  // namespace

FlushShapes::FlushShapes(const System& system)
    : system_(&system), neighbors_(system.shapes().size()) {
  const std::vector<CollisionShape>& shapes = system.shapes();
  std::map<int, std::vector<int>> of_body;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (is_bounded_convex(shapes[i].shape)) of_body[shapes[i].body].push_back(static_cast<int>(i));
  }
  BroadPhase broad_phase;
  for (const auto& [body, own] : of_body) {
    if (own.size() < 2) continue;
    std::vector<Aabb> boxes;
    for (const int i : own) {
      const CollisionShape& shape = shapes[static_cast<std::size_t>(i)];
      boxes.push_back(
          bounding_box(shape.shape, shape.X_BG).grown(kFlush * bounding_radius(shape.shape)));
    }
    const std::vector<char> is_static(boxes.size(), 0);
    for (const auto& [a, b] : broad_phase.find_pairs(boxes, is_static)) {
      const int i = own[static_cast<std::size_t>(a)], j = own[static_cast<std::size_t>(b)];
      neighbors_[static_cast<std::size_t>(i)].push_back(j);
      neighbors_[static_cast<std::size_t>(j)].push_back(i);
    }
  }
}

bool FlushShapes::any() const {
  return std::any_of(neighbors_.begin(), neighbors_.end(),
                     [](const std::vector<int>& own) { return !own.empty(); });
}

template <typename IsNearer>
bool FlushShapes::cover(int shape, const Vector3d& p_W, const Vector3d& direction_W,
                        std::span<const Pose> X_WG, const IsNearer& is_nearer) const {
  const std::vector<CollisionShape>& shapes = system_->shapes();
  const double own_radius = bounding_radius(shapes[static_cast<std::size_t>(shape)].shape);
  const std::vector<int>& neighbors = neighbors_[static_cast<std::size_t>(shape)];
  return std::any_of(neighbors.begin(), neighbors.end(), [&](int neighbor) {
    if (!is_nearer(neighbor)) return false;
    const auto n = static_cast<std::size_t>(neighbor);
    const double radius = std::min(own_radius, bounding_radius(shapes[n].shape));
    return reaches_beyond(shapes[n].shape, X_WG[n], p_W, direction_W, kFlush * radius);
  });
}

bool FlushShapes::cover(const Contact& contact, double layer, std::span<const Pose> X_WG,
                        const std::function<double(int, int)>& least_gap) const {
  const auto [a, b, feature] = contact.key;
  // The witness points lie half of the distance to both sides.
  const Vector3d half = 0.5 * (contact.gap + layer) * contact.normal_W;
  const auto is_nearer_to = [&](int other) {
    return [&, other](int neighbor) { return least_gap(neighbor, other) < contact.gap; };
  };
  return cover(a, contact.position_W - half, contact.normal_W, X_WG, is_nearer_to(b)) ||
         cover(b, contact.position_W + half, -contact.normal_W, X_WG, is_nearer_to(a));
}

}  // namespace amontons
