#pragma once

#include "amontons/geometry/convex/convex_core.h"
#include "amontons/geometry/shapes/collision_mesh.h"
#include "amontons/geometry/shapes/contact_point.h"

#include <optional>

namespace amontons::narrow_phase {

/// Returns one contact of a mesh that encloses, as A, and a core, as B, whose surfaces cross;
/// nothing if they do not. It serves where no pair of features tells how both part (a rod through a
/// plate). Of the normals of the facets inside the core, their mean, and the normal of the hull, it
/// has the one along which the core leaves all that is inside it first.
/// @param core  in the mesh's frame.
std::optional<ContactPoint> core_overlap(const CollisionMesh& mesh, const ConvexCore& core);

}  // namespace amontons::narrow_phase
