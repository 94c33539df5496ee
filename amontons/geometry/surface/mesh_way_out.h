#pragma once

#include "amontons/geometry/shapes/collision_mesh.h"
#include "amontons/geometry/surface/overlap_region.h"
#include "amontons/geometry/surface/way_out.h"
#include "amontons/math/pose.h"

#include <vector>

namespace amontons::narrow_phase {

/// Returns how two meshes that enclose part; both and the regions outlive it. B is free by the
/// definition of overlaps, crossings and insides, not by an estimate.
///
/// Directions are the normal of the hulls, those of the regions and of the facets that cross, and
/// without regions those of the largest facets.
/// @param regions  where the surfaces cross by more than rounding.
Parting mesh_parting(const CollisionMesh& A, const CollisionMesh& B, const Pose& X_AB,
                     const std::vector<OverlapRegion>& regions, double slack);

}  // namespace amontons::narrow_phase
