#include "amontons/geometry/surface/surface_patch.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace amontons::narrow_phase {

using Eigen::Vector3d;

bool SurfacePatch::Edge::is_ridge() const {
  const Vector3d u = (head - tail).normalized();
  // Positive for a ridge: the normals turn about the edge from left to right.
  const double sine = u.dot(left.cross(right));
  // Both sides of a folded sheet face away from each other; its edge touches like a ridge.
  const bool is_folded = left.dot(right) < 0.0 && std::abs(sine) <= kFlatAngle;
  return sine > kFlatAngle || is_folded;
}

bool SurfacePatch::Edge::is_valley() const {
  return (head - tail).normalized().dot(left.cross(right)) < -kFlatAngle;
}

bool SurfacePatch::Edge::may_touch(const Vector3d& n, double sine) const {
  const Vector3d u = (head - tail).normalized();
  return std::abs(u.dot(n)) <= sine && u.dot(left.cross(n)) >= -sine &&
         u.dot(n.cross(right)) >= -sine;
}

ConvexCore SurfacePatch::Edge::core() const {
  ConvexCore core;
  core.type = CoreType::Segment;
  core.p = 0.5 * (tail + head);
  // A segment lies along the z axis of its own frame.
  const Vector3d along = head - tail;
  core.half.z() = 0.5 * along.norm();
  core.size = core.half.z();
  const Vector3d u = along.normalized();
  // The other axes follow from the world axis that is least parallel to it.
  Eigen::Index least = 0;
  u.cwiseAbs().minCoeff(&least);
  const Vector3d across = Vector3d::Unit(least).cross(u).normalized();
  core.R << across, u.cross(across), u;
  return core;
}

double SurfacePatch::beyond_side(const Triangle& triangle, std::size_t k, const Vector3d& x) const {
  const Vector3d& normal = planes[static_cast<std::size_t>(triangle.plane)].normal;
  const Vector3d along = triangle.corner[(k + 1) % 3] - triangle.corner[k];
  const double length = along.norm();
  if (length == 0.0) return 0.0;
  return -normal.dot(along.cross(x - triangle.corner[k])) / length;
}

bool SurfacePatch::holds_back(const Triangle& triangle, const Vector3d& x, double slack,
                              const EntryTest& came_through_surface) const {
  for (std::size_t k = 0; k < 3; ++k) {
    if (beyond_side(triangle, k, x) <= slack) continue;
    if (triangle.valley[k] < 0) return false;
    const Plane& other = planes[static_cast<std::size_t>(triangle.valley[k])];
    // Beyond a valley the neighboring plane must hold the point back as well.
    const double depth = other.offset - other.normal.dot(x);
    if (depth <= 0.0) return false;
    if (came_through_surface && !came_through_surface(triangle.valley[k], x, depth)) return false;
  }
  return true;
}

Vector3d SurfacePatch::nearest_in(const Triangle& triangle, const Vector3d& x) const {
  const Plane& plane = planes[static_cast<std::size_t>(triangle.plane)];
  const Vector3d foot = x - (plane.normal.dot(x) - plane.offset) * plane.normal;
  // The foot itself if it is inside, else the nearest point of the three sides.
  Vector3d best = triangle.corner[0];
  bool is_inside = true;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vector3d& tail = triangle.corner[k];
    const Vector3d along = triangle.corner[(k + 1) % 3] - tail;
    const double squared = along.squaredNorm();
    const double s = squared > 0.0 ? std::clamp(along.dot(foot - tail) / squared, 0.0, 1.0) : 0.0;
    const Vector3d candidate = tail + s * along;
    if ((candidate - foot).squaredNorm() < (best - foot).squaredNorm()) best = candidate;
    is_inside = is_inside && beyond_side(triangle, k, foot) <= 0.0;
  }
  return is_inside ? foot : best;
}

bool SurfacePatch::may_touch(const Corner& corner, const Vector3d& n, double sine) const {
  // The cone of normals is polar to the spokes: n . spoke <= 0 for all of them.
  for (std::size_t k = 0; k < corner.num_spokes; ++k) {
    if (n.dot(spokes[corner.first_spoke + k]) > sine) return false;
  }
  return true;
}

}  // namespace amontons::narrow_phase
