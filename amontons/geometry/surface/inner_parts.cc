#include "amontons/geometry/surface/inner_parts.h"

#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "amontons/geometry/shapes/triangle_distance.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <limits>
#include <utility>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;
using Polygon = std::vector<Vector3d>;

/// Keeps the part of a polygon where normal . x < offset.
void cut(const Vector3d& normal, double offset, Polygon& polygon) {
  Polygon kept;
  for (std::size_t k = 0; k < polygon.size(); ++k) {
    const Vector3d &here = polygon[k], &next = polygon[(k + 1) % polygon.size()];
    const double from = normal.dot(here) - offset, to = normal.dot(next) - offset;
    if (from < 0.0) kept.push_back(here);
    if ((from < 0.0) != (to < 0.0)) kept.push_back(here + from / (from - to) * (next - here));
  }
  polygon = std::move(kept);
}

/// Returns the distance of a polygon from the z axis [m].
double distance_from_axis(const Polygon& polygon) {
  // The origin is inside the projection if it is on one side of all edges.
  double least = std::numeric_limits<double>::infinity();
  bool is_left = true, is_right = true;
  for (std::size_t k = 0; k < polygon.size(); ++k) {
    const Eigen::Vector2d tail = polygon[k].head<2>();
    const Eigen::Vector2d along = polygon[(k + 1) % polygon.size()].head<2>() - tail;
    const double turn = along.y() * tail.x() - along.x() * tail.y();
    is_left = is_left && turn <= 0.0;
    is_right = is_right && turn >= 0.0;
    const double squared = along.squaredNorm();
    const double s = squared > 0.0 ? std::clamp(-along.dot(tail) / squared, 0.0, 1.0) : 0.0;
    least = std::min(least, (tail + s * along).norm());
  }
  return is_left || is_right ? 0.0 : least;
}

/// Returns the box around a core and its ball, in the core's own frame.
Aabb own_box(const ConvexCore& core) {
  Aabb box{-core.half, core.half};
  if (core.type == CoreType::Polyhedron) box = Aabb::around(core.polyhedron->vertices());
  return box.grown(core.radius);
}

/// Returns true if a triangle, which with its part in the core's box is given in the core's frame,
/// meets the inside of the core. Cuts the part further where the core has facets.
bool meets(const ConvexCore& core, const Triangle& triangle, Polygon& part) {
  const Vector3d origin = Vector3d::Zero();
  switch (core.type) {
    case CoreType::Point:
      return nearest_in_triangle(triangle, origin).norm() < core.radius;
    case CoreType::Segment: {
      const Triangle axis{-core.half, core.half, core.half};
      const double squared = nearest_in_triangles(triangle, axis).squared_distance;
      return squared < core.radius * core.radius;
    }
    case CoreType::Box:
      return true;
    case CoreType::Cylinder:
      return distance_from_axis(part) < core.half.x() + core.radius;
    case CoreType::Ellipsoid: {
      Triangle scaled = triangle;
      for (Vector3d& corner : scaled) corner = corner.cwiseQuotient(core.half);
      return nearest_in_triangle(scaled, origin).norm() < 1.0;
    }
    case CoreType::Polyhedron:
      for (const auto& face : core.polyhedron->faces()) cut(face.normal, face.offset, part);
      return part.size() > 2;
  }
  return false;
}

}  // namespace

std::vector<InnerPart> inner_parts(const CollisionMesh& mesh, const ConvexCore& core) {
  std::vector<int> near;
  mesh.tree().find(bounds_of(core, 0.0), near);
  const Aabb box = own_box(core);
  std::vector<InnerPart> parts;
  for (const int t : near) {
    Triangle own = mesh.triangle(t);
    for (Vector3d& corner : own) corner = core.R.transpose() * (corner - core.p);
    Polygon polygon(own.begin(), own.end());
    for (int axis = 0; axis < 3; ++axis) {
      cut(Vector3d::Unit(axis), box.upper[axis], polygon);
      cut(-Vector3d::Unit(axis), -box.lower[axis], polygon);
    }
    if (polygon.size() < 3 || !meets(core, own, polygon)) continue;
    Vector3d area = Vector3d::Zero();
    for (std::size_t k = 1; k + 1 < polygon.size(); ++k) {
      area += 0.5 * (polygon[k] - polygon[0]).cross(polygon[k + 1] - polygon[0]);
    }
    for (Vector3d& x : polygon) x = core.R * x + core.p;
    parts.push_back({mesh.facet_of(t), area.norm(), std::move(polygon)});
  }
  return parts;
}

}  // namespace amontons::narrow_phase
