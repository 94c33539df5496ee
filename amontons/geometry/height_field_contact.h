#pragma once

#include "amontons/geometry/contact_manifold.h"
#include "amontons/geometry/convex_core.h"
#include "amontons/geometry/height_field.h"

#include <vector>

namespace amontons::narrow_phase {

/// Terrain as A, core as B; positions are in F.
///
/// The solid below the surface touches B in three ways, each in its own normal cone, so that
/// nothing catches on an edge between triangles of one plane:
///  - a vertex (or ring point) of B above or below a triangle: the triangle's normal;
///  - a ridge or border edge: the manifold of segment and B, if its normal is between the sides';
///  - a peak: point and B, if the normal is within the peak's cone.
/// A point of B under several triangles of a ridge is pushed out of the nearest. A body so deep
/// that no feature claims it is pushed up along the normal of the triangle above its center. The
/// terrain ends at its border.
///
/// @param X_FT  pose of the terrain in F.
void height_field_manifold(const HeightField& field, const Pose& X_FT, const ConvexCore& core,
                           double horizon, std::vector<ContactPoint>& contacts);

/// The least gap of any contact of the two and its witness points: exact when they are apart.
Separation height_field_separation(const HeightField& field, const Pose& X_FT,
                                   const ConvexCore& core);

}  // namespace amontons::narrow_phase
