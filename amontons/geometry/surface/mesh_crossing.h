#pragma once

#include "amontons/geometry/shapes/collision_mesh.h"
#include "amontons/math/pose.h"

#include <Eigen/Core>

#include <vector>

namespace amontons::narrow_phase {

/// Holds the segment in which a triangle of one mesh crosses a triangle of another. All segments
/// together bound the part of A's surface that is inside B; seen from outside A it is on the left
/// of the way from tail to head.
struct Crossing {
  int a = 0, b = 0;            ///< triangles of A and of B
  Eigen::Vector3d tail, head;  ///< [m]
};

/// Returns the crossings of two meshes, in A's frame, in the order of their triangles. Triangles
/// that only touch do not cross.
std::vector<Crossing> find_crossings(const CollisionMesh& A, const CollisionMesh& B,
                                     const Pose& X_AB);

}  // namespace amontons::narrow_phase
