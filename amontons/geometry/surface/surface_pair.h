#pragma once

#include "amontons/geometry/shapes/closing_motion.h"
#include "amontons/geometry/shapes/contact_point.h"
#include "amontons/geometry/surface/surface_patch.h"

#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace amontons::narrow_phase {

/// Describes one of two surfaces that meet, in the frame of both.
struct SurfaceSide {
  const SurfacePatch& patch;
  EntryTest came_through_surface;
  /// Returns true if a point is behind the surface or on it.
  std::function<bool(const Eigen::Vector3d& x)> contains;
  /// Depth beyond which nothing is pushed out here [m]. No corner is farther beside a triangle that
  /// touches it over a valley.
  double deepest = std::numeric_limits<double>::infinity();
};

/// Returns the contacts of two triangulated surfaces, concave or convex. Corners of one touch faces
/// of the other, and ridges touch ridges. Where the surfaces are apart, corners also touch ridges
/// and corners. Each touches along normals in the cones of both.
/// @param slack  lateral distance [m] below which points count as one and as within a triangle.
/// @param motion  of B against A: if given, contacts whose gaps it may not close may be left out.
std::vector<ContactPoint> surface_pair_manifold(const SurfaceSide& A, const SurfaceSide& B,
                                                double horizon, double slack,
                                                const std::optional<ClosingMotion>& motion);

/// Returns the patch as seen from another frame.
SurfacePatch transformed(const Pose& X, SurfacePatch patch);

}  // namespace amontons::narrow_phase
