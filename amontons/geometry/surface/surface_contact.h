#pragma once

#include "amontons/geometry/shapes/closing_motion.h"
#include "amontons/geometry/shapes/contact_point.h"
#include "amontons/geometry/surface/surface_patch.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace amontons::narrow_phase {

/// Points nearer than this are one, relative to the smaller of two shapes or to the cell of a
/// height field [-].
inline constexpr double kSameContact = 1e-6;

/// Describes the solid behind a surface.
struct SurfaceDepth {
  /// Says that a plane holds back only a shape whose middle is in front of it. If false, as on
  /// terrain, all behind it is solid.
  bool needs_middle_in_front = false;
  /// Holds the middle of the shape, in the surface's frame [m].
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();
  EntryTest came_through_surface;  ///< test for points of the shape
};

/// Returns the contacts of a surface, as A, and a core, as B, both in the surface's frame. Gaps
/// reach up to the horizon [m].
///
/// They touch in three ways, each in its own normal cone. So nothing catches on an edge between
/// triangles of one plane. The ways are:
///  - a vertex (or ring point) of B in front of or behind a triangle: the plane's normal;
///  - a ridge or border edge: the manifold of segment and B, if its normal is between the sides';
///  - a corner: point and B, if the normal is within the corner's cone, or out of it by at most 20
///    degrees over a face of B that another contact touches.
/// A point of B behind several triangles of a ridge is pushed out of the nearest. At most eight
/// points with one normal are kept.
/// @param slack  lateral distance [m] below which points count as one and as within a triangle.
/// @param motion  of B against A: if given, balls and ellipsoids pass ridges and corners along
/// faces (passing_face.h).
std::vector<ContactPoint> surface_manifold(const SurfacePatch& patch, const ConvexCore& core,
                                           double horizon, double slack, const SurfaceDepth& depth,
                                           const std::optional<ClosingMotion>& motion);

/// Returns true if two contacts of a surface and one core are of faces with the same point of the
/// core. The name of such a contact distinguishes its face by a number among those near.
bool are_of_one_point(std::uint32_t feature_a, std::uint32_t feature_b);

/// Returns the contact of least gap with its witness points. @pre not empty.
Separation least_gap(const std::vector<ContactPoint>& contacts);

}  // namespace amontons::narrow_phase
