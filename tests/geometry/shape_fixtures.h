#pragma once

#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "amontons/geometry/shapes/shape.h"
#include "amontons/math/pose.h"

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

namespace amontons::test {

/// Draws random numbers, directions and orientations from one seed.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  /// Returns 10^x with x uniform.
  double decade(double low, double high) { return std::pow(10.0, uniform(low, high)); }
  int index(int count) { return std::uniform_int_distribution<int>(0, count - 1)(engine_); }
  Eigen::Vector3d direction() {
    std::normal_distribution<double> normal;
    const Eigen::Vector3d v(normal(engine_), normal(engine_), normal(engine_));
    return v.normalized();
  }
  Eigen::Matrix3d rotation() {
    std::normal_distribution<double> normal;
    Eigen::Quaterniond q(normal(engine_), normal(engine_), normal(engine_), normal(engine_));
    q.normalize();
    return q.toRotationMatrix();
  }
  Pose pose(const Eigen::Vector3d& translation) { return {rotation(), translation}; }

 private:
  std::mt19937_64 engine_;
};

inline Pose at(double x, double y, double z) {
  Pose pose;
  pose.translation = {x, y, z};
  return pose;
}

inline Pose turned(const Pose& pose, double angle, const Eigen::Vector3d& axis) {
  Pose result = pose;
  result.rotation = Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix() * pose.rotation;
  return result;
}

inline Shape hull_of(const std::vector<Eigen::Vector3d>& points) {
  return std::make_shared<const ConvexPolyhedron>(ConvexPolyhedron::hull_of(points));
}

/// Makes the corners of a box, as a polyhedron.
inline Shape box_hull(const Eigen::Vector3d& size) {
  std::vector<Eigen::Vector3d> points;
  for (const double x : {-0.5, 0.5}) {
    for (const double y : {-0.5, 0.5}) {
      for (const double z : {-0.5, 0.5}) {
        points.push_back(size.cwiseProduct(Eigen::Vector3d(x, y, z)));
      }
    }
  }
  return hull_of(points);
}

enum class Kind { Sphere, Box, Capsule, Cylinder, Ellipsoid, SmallHull, LargeHull };
inline constexpr std::array<Kind, 7> kKinds = {Kind::Sphere,   Kind::Box,       Kind::Capsule,
                                               Kind::Cylinder, Kind::Ellipsoid, Kind::SmallHull,
                                               Kind::LargeHull};

/// Makes a bounded shape with dimensions between 0.3 and 1.5 times a length.
inline Shape random_shape(Kind kind, Dice& dice, double length) {
  const auto r = [&] { return length * dice.uniform(0.3, 1.5); };
  switch (kind) {
    case Kind::Sphere:
      return Sphere{r()};
    case Kind::Box:
      return Box{{r(), r(), r()}};
    case Kind::Capsule:
      return Capsule{0.5 * r(), r()};
    case Kind::Cylinder:
      return Cylinder{r(), r()};
    case Kind::Ellipsoid:
      return Ellipsoid{{r(), r(), r()}};
    default:
      break;
  }
  const int count = kind == Kind::SmallHull ? 12 : 60;
  std::vector<Eigen::Vector3d> points;
  for (int k = 0; k < count; ++k) {
    points.push_back(length * dice.uniform(kind == Kind::SmallHull ? 0.5 : 1.0, 1.0) *
                     dice.direction());
  }
  return hull_of(points);
}

/// Finds the farthest point of a bounded shape along a world direction, from the definition of each
/// shape.
struct SupportPoint {
  Eigen::Vector3d d;  // in the shape's frame, unit

  Eigen::Vector3d operator()(const Sphere& s) const { return s.radius * d; }
  Eigen::Vector3d operator()(const Box& b) const {
    return {std::copysign(0.5 * b.size.x(), d.x()), std::copysign(0.5 * b.size.y(), d.y()),
            std::copysign(0.5 * b.size.z(), d.z())};
  }
  Eigen::Vector3d operator()(const Capsule& c) const {
    return c.radius * d + Eigen::Vector3d(0.0, 0.0, std::copysign(0.5 * c.length, d.z()));
  }
  Eigen::Vector3d operator()(const Cylinder& c) const {
    const double across = std::hypot(d.x(), d.y());
    const double scale = across > 0.0 ? c.radius / across : 0.0;
    return {scale * d.x(), scale * d.y(), std::copysign(0.5 * c.length, d.z())};
  }
  Eigen::Vector3d operator()(const Ellipsoid& e) const {
    const Eigen::Vector3d scaled = e.semi_axes.cwiseProduct(d);
    return e.semi_axes.cwiseProduct(scaled) / scaled.norm();
  }
  Eigen::Vector3d operator()(const std::shared_ptr<const ConvexPolyhedron>& p) const {
    Eigen::Vector3d best = p->vertices().front();
    for (const Eigen::Vector3d& v : p->vertices()) {
      if (v.dot(d) > best.dot(d)) best = v;
    }
    return best;
  }
  template <typename Unbounded>
  Eigen::Vector3d operator()(const Unbounded&) const {
    return Eigen::Vector3d::Constant(std::nan(""));
  }
};

inline Eigen::Vector3d support_point(const Shape& shape, const Pose& X_WG,
                                     const Eigen::Vector3d& n) {
  return X_WG * std::visit(SupportPoint{X_WG.rotation.transpose() * n}, shape);
}

/// Returns the gap of the two support planes normal to n: never more than the signed distance.
inline double plane_gap(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                        const Eigen::Vector3d& n) {
  // Coordinates relative to A, so that no digits are lost far from the origin.
  const Pose X_A{X_WA.rotation, Eigen::Vector3d::Zero()};
  const Pose X_B{X_WB.rotation, X_WB.translation - X_WA.translation};
  return n.dot(support_point(B, X_B, -n) - support_point(A, X_A, n));
}

/// Moves B so that the support planes normal to n are `gap` apart and the support points opposite.
inline Pose placed(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                   const Eigen::Vector3d& n, double gap) {
  Pose X_A = X_WA;
  X_A.translation.setZero();
  Pose result = X_WB;
  result.translation.setZero();
  result.translation =
      support_point(A, X_A, n) + gap * n - support_point(B, result, -n) + X_WA.translation;
  return result;
}

}  // namespace amontons::test
