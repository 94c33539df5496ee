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
  /// Points of A's surface inside B, and of B's inside A, with the loops: all [m].
  std::vector<Eigen::Vector3d> of_A, of_B;
  /// Normals along which B leaves the facets that cross, those that cross most first.
  std::vector<Eigen::Vector3d> facet_normals;

  /// Returns how far both surfaces reach into each other along a normal [m].
  double depth_along(const Eigen::Vector3d& n) const;
  /// Returns true if the surfaces only touch here: their faces in one plane cross by rounding.
  /// @param slack  depth [m] up to which they touch.
  bool is_touch(double slack) const { return !normal.isZero(0.0) && depth <= slack; }
};

/// Returns the places where two meshes that enclose overlap, in A's frame.
std::vector<OverlapRegion> find_overlap_regions(const CollisionMesh& A, const CollisionMesh& B,
                                                const Pose& X_AB,
                                                const std::vector<Crossing>& crossings);

}  // namespace amontons::narrow_phase
