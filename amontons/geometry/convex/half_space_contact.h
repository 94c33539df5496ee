#pragma once

#include "amontons/geometry/convex/convex_core.h"
#include "amontons/geometry/shapes/contact_point.h"

#include <vector>

namespace amontons::narrow_phase {

/// Describes a half-space in F: solid where normal . x <= offset.
struct Plane {
  Eigen::Vector3d normal;
  double offset = 0.0;  ///< [m]
};

/// Returns the plane of a half-space in F.
Plane make_plane(const HalfSpace& half_space, const Pose& X_WG, const Eigen::Vector3d& origin_W);

/// Returns the separation of a half-space, as A, and a core, as B.
Separation separation(const Plane& plane, const ConvexCore& core);

/// Appends the contacts of a half-space, as A, and a core, as B: every vertex within the horizon. A
/// cylinder touches with the ring of the lower cap and the deepest point of the upper one. There
/// are at most eight points; positions are in F.
void half_space_manifold(const Plane& plane, const ConvexCore& core, double horizon,
                         std::vector<ContactPoint>& contacts);

}  // namespace amontons::narrow_phase
