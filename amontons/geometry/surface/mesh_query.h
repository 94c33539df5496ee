#pragma once

#include "amontons/geometry/shapes/collision_mesh.h"

#include <Eigen/Core>

#include <optional>

namespace amontons {

/// The point of a mesh nearest to another, in the mesh's frame.
struct NearestOnMesh {
  Eigen::Vector3d point = Eigen::Vector3d::Zero();  ///< [m]
  double distance = 0.0;                            ///< [m], >= 0
  int facet = 0;
  /// The other point is behind the facet; of a closed mesh: inside. Of several facets that share
  /// the nearest point the one decides that faces the other point most directly.
  bool is_behind = false;
};
NearestOnMesh nearest_on_mesh(const CollisionMesh& mesh, const Eigen::Vector3d& x);

/// The facet through whose front the segment from p to q first enters, if there is one.
/// @param slack  [m]: triangles count as that much larger.
std::optional<int> first_entry(const CollisionMesh& mesh, const Eigen::Vector3d& p,
                               const Eigen::Vector3d& q, double slack);

}  // namespace amontons
