#pragma once

#include "amontons/geometry/convex/convex_core.h"
#include "amontons/geometry/shapes/collision_mesh.h"
#include "amontons/geometry/shapes/contact_point.h"
#include "amontons/geometry/shapes/height_field.h"

#include <vector>

namespace amontons::narrow_phase {

/// Two meshes; positions are in F. They touch as surface_pair_manifold() says. A corner inside a
/// closed mesh is pushed out of the facet nearest to it; one behind a sheet is pushed back if the
/// way to it from the middle of its own mesh leads through the sheet's front. Where one mesh is
/// inside the other altogether, the way out of its middle is taken.
void mesh_pair_manifold(const CollisionMesh& A, const Pose& X_FA, const CollisionMesh& B,
                        const Pose& X_FB, double horizon, std::vector<ContactPoint>& contacts);

/// The least gap of any contact of the two and its witness points: exact when they are apart.
Separation mesh_pair_separation(const CollisionMesh& A, const Pose& X_FA, const CollisionMesh& B,
                                const Pose& X_FB);

/// Terrain as A, mesh as B.
void terrain_mesh_manifold(const HeightField& field, const Pose& X_FT, const CollisionMesh& mesh,
                           const Pose& X_FM, double horizon, std::vector<ContactPoint>& contacts);
Separation terrain_mesh_separation(const HeightField& field, const Pose& X_FT,
                                   const CollisionMesh& mesh, const Pose& X_FM);

}  // namespace amontons::narrow_phase
