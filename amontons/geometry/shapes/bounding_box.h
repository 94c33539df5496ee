#pragma once

#include "amontons/geometry/shapes/shape.h"
#include "amontons/math/pose.h"

#include <Eigen/Core>

namespace amontons {

/// Holds the corners of an axis-aligned box in the world [m]. Infinite sides are allowed.
struct Aabb {
  Eigen::Vector3d lower, upper;  ///< corners, in W [m]

  /// Returns true if the boxes share a point.
  bool overlaps(const Aabb& other) const {
    return (lower.array() <= other.upper.array()).all() &&
           (other.lower.array() <= upper.array()).all();
  }
};

/// Returns the tight box of a shape in a pose. A half-space is unbounded unless its normal is a
/// world axis. A height field is solid, hence unbounded, below.
Aabb bounding_box(const Shape& shape, const Pose& X_WG);

/// Returns the axis-aligned box around a bounded box that a pose has turned.
Aabb box_around(const Aabb& box, const Pose& X);

}  // namespace amontons
