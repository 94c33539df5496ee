#include "amontons/geometry/shapes/shape.h"

#include "amontons/geometry/shapes/collision_mesh.h"
#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "amontons/geometry/shapes/height_field.h"
#include "amontons/math/elementary.h"

#include <algorithm>
#include <array>
#include <limits>

namespace amontons {
namespace {

/// Returns the bounding radius [m] of the shape that std::visit() hands to it.
struct BoundingRadius {
  double operator()(const Sphere& sphere) const { return sphere.radius; }
  double operator()(const Box& box) const { return 0.5 * box.size.norm(); }
  double operator()(const Capsule& capsule) const { return 0.5 * capsule.length + capsule.radius; }
  double operator()(const Cylinder& cylinder) const {
    return elementary::hypot(cylinder.radius, 0.5 * cylinder.length);
  }
  double operator()(const Ellipsoid& ellipsoid) const { return ellipsoid.semi_axes.maxCoeff(); }
  double operator()(const HalfSpace&) const { return std::numeric_limits<double>::infinity(); }
  double operator()(const std::shared_ptr<const ConvexPolyhedron>& polyhedron) const {
    return polyhedron->bounding_radius();
  }
  double operator()(const std::shared_ptr<const HeightField>&) const {
    return std::numeric_limits<double>::infinity();
  }
  double operator()(const std::shared_ptr<const CollisionMesh>& mesh) const {
    return mesh->bounding_radius();
  }
};

}  // namespace

std::string shape_type_name(const Shape& shape) {
  // In the order of the alternatives of Shape.
  static constexpr std::array<const char*, std::variant_size_v<Shape>> kNames = {
      "sphere",     "box",        "capsule",     "cylinder", "ellipsoid",
      "half_space", "polyhedron", "heightfield", "mesh"};
  return kNames[shape.index()];
}

double bounding_radius(const Shape& shape) { return std::visit(BoundingRadius{}, shape); }

}  // namespace amontons
