#pragma once

#include "amontons/geometry/convex/convex_core.h"
#include "amontons/geometry/shapes/contact_point.h"
#include "amontons/geometry/shapes/height_field.h"

#include <vector>

namespace amontons::narrow_phase {

/// Terrain as A, core as B; positions are in F.
///
/// The surface touches B as surface_manifold() says, all below it being solid. A body so deep that
/// no feature claims it is pushed up along the normal of the triangle above its center. The terrain
/// ends at its border.
///
/// @param X_FT  pose of the terrain in F.
void height_field_manifold(const HeightField& field, const Pose& X_FT, const ConvexCore& core,
                           double horizon, std::vector<ContactPoint>& contacts);

/// The least gap of any contact of the two and its witness points: exact when they are apart.
Separation height_field_separation(const HeightField& field, const Pose& X_FT,
                                   const ConvexCore& core);

/// From the terrain to one point of another shape, in F: straight down, or across to the border.
/// Negative below the surface. An upper bound of the shape's distance when they are apart.
Separation height_field_bound(const HeightField& field, const Pose& X_FT,
                              const Eigen::Vector3d& point);

}  // namespace amontons::narrow_phase
