#pragma once

#include "amontons/geometry/shapes/collision_mesh.h"
#include "amontons/math/pose.h"

#include <Eigen/Core>

#include <optional>
#include <vector>

namespace amontons::narrow_phase {

/// Describes a translation of B after which two meshes that enclose do not overlap.
struct WayOut {
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();  ///< unit, from A into B
  double length = 0.0;                               ///< [m], >= 0
};

/// Returns the directions along which a way out of an overlap is sought, in A's frame: the normal
/// of the hulls, and those of facets that cross, or of the largest ones where none cross. Of
/// directions that differ by less than 15 degrees the first counts.
/// @param crossing  normals of regions and of facets that cross, the most important first.
std::vector<Eigen::Vector3d> exit_directions(const CollisionMesh& A, const CollisionMesh& B,
                                             const Pose& X_AB,
                                             const std::vector<Eigen::Vector3d>& crossing);

/// Returns the shortest way out along one of the directions, if there is one below a bound [m].
/// Each way ends where the surfaces touch for the last time before B is free; B is free there by
/// the definition of overlaps, crossings and insides, not by an estimate.
/// @param slack  gap [m] in which both count as free.
std::optional<WayOut> shortest_way_out(const CollisionMesh& A, const CollisionMesh& B,
                                       const Pose& X_AB,
                                       const std::vector<Eigen::Vector3d>& directions, double bound,
                                       double slack);

}  // namespace amontons::narrow_phase
