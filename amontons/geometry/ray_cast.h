#pragma once

#include "amontons/geometry/shapes/shape.h"
#include "amontons/math/pose.h"

#include <Eigen/Core>

#include <limits>
#include <optional>

namespace amontons {

/// Holds where a ray meets a surface.
struct RayHit {
  double distance = 0.0;     ///< from the origin of the ray, along it [m]
  Eigen::Vector3d normal_W;  ///< unit, out of the solid, or on the front of a sheet, in W
};

/// Returns the first point of a shape's surface along a ray, or nothing. A ray that starts inside a
/// solid meets its surface from within. The point is exact to rounding: closed forms for simple
/// shapes, faces of polyhedra, triangles of meshes and terrain. A ray along an edge that two
/// triangles share meets one of them [Woop, Benthin, Wald 2013]. Terrain is its triangulated
/// surface without walls at its border.
/// @param direction_W   of any length but zero.
/// @param max_distance  farther points do not count [m].
/// @throws std::invalid_argument for a direction of no length, or numbers that are not finite.
std::optional<RayHit> cast_ray(const Shape& shape, const Pose& X_WG,
                               const Eigen::Vector3d& origin_W, const Eigen::Vector3d& direction_W,
                               double max_distance = std::numeric_limits<double>::infinity());

}  // namespace amontons
