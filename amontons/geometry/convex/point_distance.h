#pragma once

#include "amontons/geometry/convex/convex_core.h"

namespace amontons::narrow_phase {

/// Signed distance of a point from a solid core other than a polyhedron, in closed form (for the
/// ellipsoid up to the root of one convex function).
struct PointDistance {
  double distance = 0.0;    ///< negative inside
  Eigen::Vector3d normal;   ///< unit, outward, in F
  Eigen::Vector3d nearest;  ///< point on the surface, in F [m]
};

/// @param point  in F [m].
/// @pre core.type is not Polyhedron.
PointDistance point_distance(const ConvexCore& core, const Eigen::Vector3d& point);

}  // namespace amontons::narrow_phase
