#pragma once

#include "amontons/geometry/convex/convex_core.h"
#include "amontons/geometry/shapes/closing_motion.h"
#include "amontons/geometry/shapes/collision_mesh.h"
#include "amontons/geometry/shapes/contact_point.h"
#include "amontons/geometry/surface/surface_patch.h"

#include <optional>
#include <vector>

namespace amontons::narrow_phase {

/// Returns the triangles, edges and corners of a mesh in or about a box, in the mesh's frame.
SurfacePatch mesh_patch_in(const CollisionMesh& mesh, const Aabb& box);
/// Returns those of the triangles given, in increasing order.
SurfacePatch mesh_patch_of(const CollisionMesh& mesh, const std::vector<int>& triangles);

/// Returns the plane that pushes a shape out of a mesh that encloses, if its middle (in the mesh's
/// frame) is inside. The shape then touches the plane's half-space.
std::optional<Plane> exit_plane(const CollisionMesh& mesh, const Eigen::Vector3d& middle);

/// Returns true if a point x, `depth` [m] behind a plane of the patch, is pushed out of that plane.
/// It has come in by the facet `entered`. The plane is that facet's, or one less deep, or one that
/// forms a valley with it.
bool is_exit_plane(const CollisionMesh& mesh, const SurfacePatch& patch, int plane, int entered,
                   double depth, const Eigen::Vector3d& x, double slack);

/// Appends the contacts of a mesh, as A, and a core, as B; positions are in F. They touch as
/// surface_manifold() says.
///
/// A point of B counts as inside the mesh if the way to it from B's middle leads through the front
/// of a facet. It is pushed out of that facet, or of a less deep one. So thin walls hold as long as
/// B's middle is on the right side of them. No point is pulled towards a facet that it only
/// passes by. If B's middle is inside a mesh that encloses, all of B is pushed out along the
/// shortest way of its middle.
/// @param X_FM  pose of the mesh in F.
/// @param motion  of B against A in F, for balls and ellipsoids (passing_face.h).
void mesh_manifold(const CollisionMesh& mesh, const Pose& X_FM, const ConvexCore& core,
                   double horizon, const std::optional<ClosingMotion>& motion,
                   std::vector<ContactPoint>& contacts);

/// Returns the least gap of all contacts of the two with its witness points: exact when they are
/// apart.
Separation mesh_separation(const CollisionMesh& mesh, const Pose& X_FM, const ConvexCore& core);

}  // namespace amontons::narrow_phase
