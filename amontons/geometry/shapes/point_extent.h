#pragma once

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Holds how far points reach in space.
struct PointExtent {
  double length = 0.0;      ///< between two far points; at least 1/2 of the largest distance [m]
  double thickness = 0.0;   ///< farthest distance from a plane through three far points [m]
  double resolution = 0.0;  ///< length that counts as zero [m]
};

/// Measures points that span space.
/// @param resolution  [m], >= 0: lengths up to this count as zero, as do those within the rounding
///     of the coordinates.
/// @throws std::invalid_argument if a point is not finite or there are none. The same holds if all
///     coincide, lie on one line or lie in one plane; the message says which.
PointExtent measure_extent(const std::vector<Eigen::Vector3d>& points, double resolution = 0.0);

/// Returns the dimension of the space that points span: 0 where all coincide, 1 on one line, 2 in
/// one plane, else 3.
/// @throws std::invalid_argument if a point is not finite or there are none.
int dimension_of(const std::vector<Eigen::Vector3d>& points, double resolution = 0.0);

}  // namespace amontons
