#pragma once

#include "amontons/geometry/shapes/shape.h"
#include "amontons/math/pose.h"

#include <Eigen/Core>

#include <limits>

namespace amontons {

/// Holds where two shapes are nearest, or how deep they overlap.
struct SignedDistance {
  double distance = 0.0;     ///< [m]; negative inside: the least translation that separates them
  Eigen::Vector3d normal_W;  ///< unit, from A into B: the gradient of the distance with B's motion
  Eigen::Vector3d p_A_W;     ///< witness point on A [m]
  Eigen::Vector3d p_B_W;     ///< witness point on B [m]: p_B = p_A + distance * normal
};

/// Returns the signed distance of two shapes, of which at least one is bounded. The distance is
/// exact to rounding for every pair, and symmetric under exchange of A and B.
/// @param enough  the distance of convex shapes, where it is above this [m], may be returned as a
/// smaller one above it: the gap of two support planes, whose normal is that of the result.
/// @throws std::invalid_argument for two unbounded shapes (half-space or height field).
SignedDistance signed_distance(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                               double enough = std::numeric_limits<double>::infinity());

}  // namespace amontons
