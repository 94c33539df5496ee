#include "amontons/geometry/shapes/winding_number.h"

#include "amontons/math/elementary.h"

#include <Eigen/Geometry>

#include <numbers>

namespace amontons {

double winding_number(const std::vector<Eigen::Vector3d>& vertices,
                      const std::vector<std::array<int, 3>>& triangles,
                      const Eigen::Vector3d& point) {
  double half_angles = 0.0;  // [rad]
  for (const std::array<int, 3>& triangle : triangles) {
    const Eigen::Vector3d a = vertices[static_cast<std::size_t>(triangle[0])] - point;
    const Eigen::Vector3d b = vertices[static_cast<std::size_t>(triangle[1])] - point;
    const Eigen::Vector3d c = vertices[static_cast<std::size_t>(triangle[2])] - point;
    // tan(angle / 2) = a . (b x c) / (|a||b||c| + (a . b)|c| + (b . c)|a| + (c . a)|b|)
    // [Van Oosterom 1983].
    const double la = a.norm(), lb = b.norm(), lc = c.norm();
    const double numerator = a.dot(b.cross(c));
    const double denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    if (numerator != 0.0) half_angles += elementary::atan2(numerator, denominator);
  }
  return half_angles / (2.0 * std::numbers::pi);
}

}  // namespace amontons
