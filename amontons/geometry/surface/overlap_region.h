#pragma once

#include "amontons/geometry/shapes/bounding_box.h"
#include "amontons/geometry/surface/mesh_crossing.h"

#include <Eigen/Core>

#include <vector>

namespace amontons::narrow_phase {

/// Describes one place where two meshes that enclose overlap: a part of A's surface inside B, the
/// part of B's inside A, and the loops in which both cross.
struct OverlapRegion {
  /// Unit, from A into B: the mean of A's normals inside B, weighted by area. It is the direction
  /// in which B's motion makes the common volume smaller fastest. Zero where the normals cancel, as
  /// where one mesh runs through the other.
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();
  double depth = 0.0;  ///< motion of B along the normal that parts both surfaces here [m]
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();  ///< mean of the loops [m]
  Aabb box = Aabb::empty();                          ///< around both surfaces [m]
};

/// Returns the places where two meshes that enclose overlap, in A's frame.
std::vector<OverlapRegion> find_overlap_regions(const CollisionMesh& A, const CollisionMesh& B,
                                                const Pose& X_AB,
                                                const std::vector<Crossing>& crossings);

}  // namespace amontons::narrow_phase
