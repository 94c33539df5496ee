#pragma once

#include "amontons/geometry/convex/convex_core.h"
#include "amontons/geometry/shapes/collision_mesh.h"

#include <Eigen/Core>

#include <vector>

namespace amontons::narrow_phase {

/// Holds what is inside a core of one triangle of a mesh, in the mesh's frame.
struct InnerPart {
  int facet;                             ///< of the triangle
  double area;                           ///< [m^2]
  std::vector<Eigen::Vector3d> polygon;  ///< [m]
};

/// Returns the parts of the mesh's triangles inside the core, or somewhat larger ones: of a round
/// core those inside its box of triangles that meet it.
/// @param core  in the mesh's frame.
std::vector<InnerPart> inner_parts(const CollisionMesh& mesh, const ConvexCore& core);

}  // namespace amontons::narrow_phase
