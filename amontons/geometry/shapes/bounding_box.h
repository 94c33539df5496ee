#pragma once

#include "amontons/geometry/shapes/shape.h"
#include "amontons/math/pose.h"

#include <Eigen/Core>

#include <limits>
#include <span>

namespace amontons {

/// Holds the corners of an axis-aligned box in the world [m]. Infinite sides are allowed.
struct Aabb {
  Eigen::Vector3d lower, upper;  ///< corners, in W [m]

  /// Returns the box that holds nothing, which is the first box or point that it includes.
  static Aabb empty() {
    constexpr double kFar = std::numeric_limits<double>::infinity();
    return {Eigen::Vector3d::Constant(kFar), Eigen::Vector3d::Constant(-kFar)};
  }
  /// Returns the smallest box around points [m].
  static Aabb around(std::span<const Eigen::Vector3d> points) {
    Aabb box = empty();
    for (const Eigen::Vector3d& point : points) box.include(point);
    return box;
  }

  /// Grows to hold a point [m], too.
  void include(const Eigen::Vector3d& point) {
    lower = lower.cwiseMin(point);
    upper = upper.cwiseMax(point);
  }
  /// Grows to hold another box, too.
  void include(const Aabb& other) {
    lower = lower.cwiseMin(other.lower);
    upper = upper.cwiseMax(other.upper);
  }
  /// Returns the box that is larger by a margin [m] on all sides.
  Aabb grown(double margin) const { return {lower.array() - margin, upper.array() + margin}; }
  /// Returns the middle [m].
  Eigen::Vector3d center() const { return lower + 0.5 * (upper - lower); }
  /// Returns true if the boxes share a point.
  bool overlaps(const Aabb& other) const {
    // Most boxes are apart along x already, where the comparison ends.
    for (int axis = 0; axis < 3; ++axis) {
      if (!(lower[axis] <= other.upper[axis] && other.lower[axis] <= upper[axis])) return false;
    }
    return true;
  }
};

/// Returns the tight box of a shape in a pose. A half-space is unbounded unless its normal is a
/// world axis. A height field is solid, hence unbounded, below.
Aabb bounding_box(const Shape& shape, const Pose& X_WG);

/// Returns a box that contains the shape, and is larger than bounding_box() by the unevenness of a
/// polyhedron's faces at most. It takes no longer where several vertices are farthest.
Aabb containing_box(const Shape& shape, const Pose& X_WG);

/// Returns the axis-aligned box around a bounded box that a pose has turned.
Aabb box_around(const Aabb& box, const Pose& X);

}  // namespace amontons
