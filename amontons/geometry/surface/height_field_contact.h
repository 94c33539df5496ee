#pragma once

#include "amontons/geometry/convex/convex_core.h"
#include "amontons/geometry/shapes/closing_motion.h"
#include "amontons/geometry/shapes/contact_point.h"
#include "amontons/geometry/shapes/height_field.h"

#include <optional>
#include <vector>

namespace amontons::narrow_phase {

/// Appends the contacts of a terrain, as A, and a core, as B; positions are in F.
///
/// The surface touches B as surface_manifold() says; all below it is solid. A triangle holds back
/// only points of B that are below the surface, not in the air behind a hill. A body that no
/// feature claims because it lies too deep is pushed up. The direction is the normal of the
/// triangle above its center. The terrain ends at its border.
///
/// @param X_FT  pose of the terrain in F.
/// @param motion  of B against A in F, for balls and ellipsoids (passing_face.h).
void height_field_manifold(const HeightField& field, const Pose& X_FT, const ConvexCore& core,
                           double horizon, const std::optional<ClosingMotion>& motion,
                           std::vector<ContactPoint>& contacts);

/// Returns the least gap of all contacts of the two with its witness points: exact when they are
/// apart.
Separation height_field_separation(const HeightField& field, const Pose& X_FT,
                                   const ConvexCore& core);

/// Returns the separation from the terrain to one point of another shape, in F: straight down, or
/// across to the border. It is negative below the surface. It is an upper bound of the shape's
/// distance when they are apart.
Separation height_field_bound(const HeightField& field, const Pose& X_FT,
                              const Eigen::Vector3d& point);

}  // namespace amontons::narrow_phase
