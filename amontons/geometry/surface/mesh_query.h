#pragma once

#include "amontons/geometry/shapes/collision_mesh.h"

#include <Eigen/Core>

#include <optional>

namespace amontons {

/// Holds the point of a mesh nearest to another point, in the mesh's frame.
struct NearestOnMesh {
  Eigen::Vector3d point = Eigen::Vector3d::Zero();  ///< [m]
  double distance = 0.0;                            ///< [m], >= 0
  /// Among facets that share the nearest point, the one that faces the other point most directly.
  int facet = 0;
};
/// Returns the point of a mesh nearest to x [m].
NearestOnMesh nearest_on_mesh(const CollisionMesh& mesh, const Eigen::Vector3d& x);
/// Returns the point nearest to x [m] of the facets whose normals have no positive part along a
/// unit vector; the distance is infinite without any.
NearestOnMesh nearest_facing_away(const CollisionMesh& mesh, const Eigen::Vector3d& x,
                                  const Eigen::Vector3d& direction);

/// Returns the facet through whose front the segment from p to q first enters, if there is one.
/// @param slack  triangles count as that much larger [m].
std::optional<int> first_entry(const CollisionMesh& mesh, const Eigen::Vector3d& p,
                               const Eigen::Vector3d& q, double slack);

}  // namespace amontons
