#pragma once

#include "amontons/geometry/convex/convex_core.h"

namespace amontons::narrow_phase {

/// Holds the signed distance of a point from a solid core other than a polyhedron.
struct PointDistance {
  double distance = 0.0;    ///< [m]; negative inside
  Eigen::Vector3d normal;   ///< unit, outward, in F
  Eigen::Vector3d nearest;  ///< point on the surface, in F [m]
};

/// Computes the distance in closed form; for the ellipsoid up to the root of one convex function.
/// @param point  in F [m].
/// @pre core.type is not Polyhedron.
PointDistance point_distance(const ConvexCore& core, const Eigen::Vector3d& point);

}  // namespace amontons::narrow_phase
