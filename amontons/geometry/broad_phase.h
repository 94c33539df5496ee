#pragma once

#include "amontons/geometry/shape.h"
#include "amontons/math/pose.h"

#include <Eigen/Core>

#include <utility>
#include <vector>

namespace amontons {

/// Axis-aligned box in the world [m]. Infinite sides are allowed.
struct Aabb {
  Eigen::Vector3d lower, upper;

  bool overlaps(const Aabb& other) const {
    return (lower.array() <= other.upper.array()).all() &&
           (other.lower.array() <= upper.array()).all();
  }
};

/// The tight box of a shape in a pose.
Aabb bounding_box(const Shape& shape, const Pose& X_WG);

/// All pairs (i, j), i < j, of overlapping boxes, in lexicographic order: uniform grid for bodies of
/// like size, AABB tree for the rest; time per box does not depend on their number. Scratch memory
/// is kept between calls.
class BroadPhase {
 public:
  /// @param boxes   one per shape.
  /// @param is_static  same size: pairs of two static boxes are not reported.
  const std::vector<std::pair<int, int>>& find_pairs(const std::vector<Aabb>& boxes,
                                                     const std::vector<char>& is_static);

 private:
  std::vector<std::pair<int, int>> pairs_;
};

}  // namespace amontons
