#include "amontons/geometry/shapes/winding_number.h"

#include "amontons/math/elementary.h"

#include <Eigen/Geometry>

#include <numbers>

namespace amontons {

HalfAngle HalfAngle::of(const Eigen::Vector3d& a, const Eigen::Vector3d& b,
                        const Eigen::Vector3d& c) {
  const double la = a.norm(), lb = b.norm(), lc = c.norm();
  return {a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb};
}

double half_solid_angle(const Eigen::Vector3d& a, const Eigen::Vector3d& b,
                        const Eigen::Vector3d& c) {
  const HalfAngle angle = HalfAngle::of(a, b, c);
  return angle.sine == 0.0 ? 0.0 : elementary::atan2(angle.sine, angle.cosine);
}

double winding_number(const std::vector<Eigen::Vector3d>& vertices,
                      const std::vector<std::array<int, 3>>& triangles,
                      const Eigen::Vector3d& point) {
  double half_angles = 0.0;  // [rad]
  for (const auto& [a, b, c] : triangles) {
    const auto from_point = [&](int v) -> Eigen::Vector3d {
      return vertices[static_cast<std::size_t>(v)] - point;
    };
    half_angles += half_solid_angle(from_point(a), from_point(b), from_point(c));
  }
  return half_angles / (2.0 * std::numbers::pi);
}

}  // namespace amontons
