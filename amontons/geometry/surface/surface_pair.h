#pragma once

#include "amontons/geometry/shapes/contact_point.h"
#include "amontons/geometry/surface/surface_patch.h"

#include <functional>
#include <vector>

namespace amontons::narrow_phase {

/// One of two surfaces that meet, in the frame of both.
struct SurfaceSide {
  const SurfacePatch& patch;
  EntryTest has_entered;
  /// Whether a point is behind the surface.
  std::function<bool(const Eigen::Vector3d& x)> contains;
};

/// Two triangulated surfaces, concave or convex: corners of one against faces of the other, ridges
/// against ridges, and where they are apart corners against ridges and corners; each along normals
/// in the cones of both. Of points with one normal at most eight are kept.
/// @param slack  lateral distance [m] below which points count as one and as within a triangle.
std::vector<ContactPoint> surface_pair_manifold(const SurfaceSide& A, const SurfaceSide& B,
                                                double horizon, double slack);

/// The patch as seen from another frame.
SurfacePatch transformed(const Pose& X, SurfacePatch patch);

}  // namespace amontons::narrow_phase
