#pragma once

#include <Eigen/Core>

namespace amontons {

/// Returns unit tangent directions d_k = (cos, sin)(2 pi k / n) in the axes (t1, t2)  [2 x n].
/// @param directions  n, even and at least 4.
/// @throws std::invalid_argument otherwise.
Eigen::Matrix2Xd polygon_directions(int directions);

/// Holds the point of the polygon  radius * conv{d_k}  nearest to z, and its derivative by z and
/// radius: d point = along along' dz + growth d radius, unless z is inside, where d point = dz.
struct PolygonPoint {
  Eigen::Vector2d point;                             ///< nearest point
  Eigen::Vector2d along = Eigen::Vector2d::Zero();   ///< the edge's direction; zero at a vertex
  Eigen::Vector2d growth = Eigen::Vector2d::Zero();  ///< foot of the edge, or the vertex's d_k
  bool inside = false;                               ///< z lies in the polygon
};

/// Returns the point of the polygon nearest to z.
/// @param radius  >= 0.
/// @param directions  polygon_directions(n).
PolygonPoint nearest_on_polygon(const Eigen::Vector2d& z, double radius,
                                const Eigen::Matrix2Xd& directions);

/// Returns the sector of a direction: k where z lies between d_k and d_(k+1); 0 for no number.
Eigen::Index polygon_sector(const Eigen::Vector2d& z, Eigen::Index directions);

}  // namespace amontons
