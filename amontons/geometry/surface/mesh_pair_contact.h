#pragma once

#include "amontons/geometry/convex/convex_core.h"
#include "amontons/geometry/shapes/closing_motion.h"
#include "amontons/geometry/shapes/collision_mesh.h"
#include "amontons/geometry/shapes/contact_point.h"
#include "amontons/geometry/shapes/height_field.h"

#include <optional>
#include <vector>

namespace amontons::narrow_phase {

/// Appends the contacts of two meshes; positions are in F. They touch as surface_pair_manifold()
/// says.
///
/// Whether meshes that enclose overlap is decided by where their surfaces cross and by winding
/// numbers (MeshOverlap), whatever the horizon. A corner inside one is pushed out of the facet
/// nearest to it. A corner behind a sheet is pushed back if the way to it from the middle of its
/// own mesh leads through the sheet's front.
/// @param motion  of B against A in F: if given, a contact is also limited to the gap that it may
/// close.
void mesh_pair_manifold(const CollisionMesh& A, const Pose& X_FA, const CollisionMesh& B,
                        const Pose& X_FB, double horizon,
                        const std::optional<ClosingMotion>& motion,
                        std::vector<ContactPoint>& contacts);

/// Returns the least gap of all contacts of the two with its witness points: exact when they are
/// apart.
Separation mesh_pair_separation(const CollisionMesh& A, const Pose& X_FA, const CollisionMesh& B,
                                const Pose& X_FB);

/// Returns the distance of two meshes that enclose, where it is above `least` [m] >= 0; else 0.
/// That they are nearer takes little work to find out.
/// @param X_AB  pose of B in A.
double mesh_pair_clearance(const CollisionMesh& A, const CollisionMesh& B, const Pose& X_AB,
                           double least);

/// Appends the contacts of a terrain, as A, and a mesh, as B.
void terrain_mesh_manifold(const HeightField& field, const Pose& X_FT, const CollisionMesh& mesh,
                           const Pose& X_FM, double horizon, std::vector<ContactPoint>& contacts);
/// Returns the least gap of all contacts of a terrain and a mesh with its witness points.
Separation terrain_mesh_separation(const HeightField& field, const Pose& X_FT,
                                   const CollisionMesh& mesh, const Pose& X_FM);

}  // namespace amontons::narrow_phase
