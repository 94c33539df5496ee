#pragma once

#include "amontons/geometry/convex/convex_core.h"
#include "amontons/geometry/shapes/collision_mesh.h"
#include "amontons/geometry/shapes/contact_point.h"

#include <vector>

namespace amontons::narrow_phase {

/// Replaces the contacts of a mesh that encloses, as A, and a core, as B, where these do not part
/// them (better_way_out()), by those of the half-space that B leaves along its way out.
///
/// Directions are the normals of the hulls and of the facets inside the core, or those of the
/// largest ones where all of it is inside the mesh, and the axes of the core.
/// @param core  in the mesh's frame.
/// @param contacts  of both in the mesh's frame; changed.
void part_core(const CollisionMesh& mesh, const ConvexCore& core, double horizon, double slack,
               std::vector<ContactPoint>& contacts);

}  // namespace amontons::narrow_phase
