#pragma once

#include <Eigen/Core>

#include <array>
#include <vector>

namespace amontons {

/// Holds sine and cosine of half the solid angle of a triangle seen from a point, positive from
/// behind, both times one length cubed [m^3]: a . (b x c) and |a||b||c| + (a . b)|c| + (b . c)|a| +
/// (c . a)|b|, for its corners relative to the point [van Oosterom, Strackee 1983].
struct HalfAngle {
  double sine, cosine;

  static HalfAngle of(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c);
};

/// Returns half the solid angle of a triangle seen from a point [rad]; 0 in its plane.
double half_solid_angle(const Eigen::Vector3d& a, const Eigen::Vector3d& b,
                        const Eigen::Vector3d& c);

/// Returns how often the triangles wind around a point: the sum of their solid angles over 4 pi
/// [Jacobson 2013]. For a closed mesh whose faces point outwards it is 1 inside and 0 outside. On
/// the surface it lies between.
/// @param vertices   [m]
/// @param triangles  indices of vertices, within bounds.
/// @param point      [m]
double winding_number(const std::vector<Eigen::Vector3d>& vertices,
                      const std::vector<std::array<int, 3>>& triangles,
                      const Eigen::Vector3d& point);

}  // namespace amontons
