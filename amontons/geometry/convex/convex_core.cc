#include "amontons/geometry/convex/convex_core.h"

#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "amontons/math/elementary.h"

#include <cmath>
#include <stdexcept>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;

/// Makes the core of the shape that std::visit() hands to it.
struct CoreMaker {
  ConvexCore core;

  void operator()(const Sphere& sphere) { core.radius = sphere.radius; }
  void operator()(const Box& box) { set(CoreType::Box, 0.5 * box.size); }
  void operator()(const Capsule& capsule) {
    set(CoreType::Segment, {0.0, 0.0, 0.5 * capsule.length});
    core.radius = capsule.radius;
  }
  void operator()(const Cylinder& cylinder) {
    set(CoreType::Cylinder, {cylinder.radius, cylinder.radius, 0.5 * cylinder.length});
    core.size = elementary::hypot(cylinder.radius, 0.5 * cylinder.length);
  }
  void operator()(const Ellipsoid& ellipsoid) {
    set(CoreType::Ellipsoid, ellipsoid.semi_axes);
    core.size = ellipsoid.semi_axes.maxCoeff();
  }
  void operator()(const std::shared_ptr<const ConvexPolyhedron>& polyhedron) {
    core.type = CoreType::Polyhedron;
    core.polyhedron = polyhedron.get();
    core.size = polyhedron->bounding_radius();
  }
  void operator()(const HalfSpace&) { throw std::invalid_argument("a half-space has no core"); }
  void operator()(const std::shared_ptr<const HeightField>&) {
    throw std::invalid_argument("a height field has no core");
  }

  void operator()(const std::shared_ptr<const CollisionMesh>&) {
    throw std::invalid_argument("a mesh has no core");
  }

  void set(CoreType type, const Vector3d& half) {
    core.type = type;
    core.half = half;
    core.size = half.norm();
  }
};

/// Returns the magnitude with the sign of another number; zero counts as positive.
double with_sign(double magnitude, double sign) { return sign < 0.0 ? -magnitude : magnitude; }

/// Returns the point of a cylinder farthest along d: on the rim of the cap that faces d.
Vector3d cylinder_support(const Vector3d& half, const Vector3d& d) {
  const double radial = std::sqrt(d.x() * d.x() + d.y() * d.y());
  const double scale = radial > 0.0 ? half.x() / radial : 0.0;
  return {scale * d.x(), scale * d.y(), with_sign(half.z(), d.z())};
}

}  // namespace

ConvexCore make_core(const Shape& shape, const Pose& X_WG, const Vector3d& origin_W) {
  CoreMaker maker;
  std::visit(maker, shape);
  maker.core.R = X_WG.rotation;
  maker.core.p = X_WG.translation - origin_W;
  return maker.core;
}

bool is_polytope(const ConvexCore& core) {
  return core.type != CoreType::Cylinder && core.type != CoreType::Ellipsoid;
}

bool has_flat_features(const ConvexCore& core) {
  return core.type != CoreType::Point && core.type != CoreType::Ellipsoid;
}

Vector3d support_G(const ConvexCore& core, const Vector3d& d) {
  switch (core.type) {
    case CoreType::Point:
      return Vector3d::Zero();
    case CoreType::Segment:
      return {0.0, 0.0, with_sign(core.half.z(), d.z())};
    case CoreType::Box:
      return {with_sign(core.half.x(), d.x()), with_sign(core.half.y(), d.y()),
              with_sign(core.half.z(), d.z())};
    case CoreType::Cylinder:
      return cylinder_support(core.half, d);
    case CoreType::Ellipsoid: {
      // For x = E y with |y| = 1 the maximum of d . x is at y = E d / |E d|.
      const Vector3d scaled = core.half.cwiseProduct(d);
      return core.half.cwiseProduct(scaled) / scaled.norm();
    }
    case CoreType::Polyhedron:
      break;
  }
  const int vertex = core.polyhedron->support(d);
  return core.polyhedron->vertices()[static_cast<std::size_t>(vertex)];
}

Vector3d support(const ConvexCore& core, const Vector3d& d) {
  if (core.type == CoreType::Point) return core.p;
  return core.R * support_G(core, core.R.transpose() * d) + core.p;
}

Aabb bounds_of(const ConvexCore& core, double margin) {
  Aabb box;
  for (int axis = 0; axis < 3; ++axis) {
    const Vector3d e = Vector3d::Unit(axis);
    box.lower[axis] = support(core, -e)[axis] - core.radius - margin;
    box.upper[axis] = support(core, e)[axis] + core.radius + margin;
  }
  return box;
}

Vector3d middle_of(const ConvexCore& core) {
  if (core.type != CoreType::Polyhedron) return core.p;
  return core.R * core.polyhedron->middle() + core.p;
}

}  // namespace amontons::narrow_phase
