#pragma once

#include "amontons/geometry/shapes/collision_mesh.h"
#include "amontons/math/pose.h"

#include <Eigen/Core>

#include <optional>

namespace amontons::narrow_phase {

/// Says how far one surface can move until it meets another one.
struct DirectionalGap {
  double way = 0.0;                                  ///< [m]
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();  ///< where they meet; unit, from A into B
};

/// Returns how far B can move along -n until it meets A, if that is less than a limit [m].
/// @pre the surfaces do not cross.
/// @param n  unit, in A's frame.
std::optional<DirectionalGap> directional_gap(const CollisionMesh& A, const CollisionMesh& B,
                                              const Pose& X_AB, const Eigen::Vector3d& n,
                                              double limit);

}  // namespace amontons::narrow_phase
