#pragma once

#include <Eigen/Core>

#include <memory>
#include <string>
#include <variant>

namespace amontons {

class ConvexPolyhedron;  // geometry/shapes/convex_polyhedron.h
class HeightField;       // geometry/shapes/height_field.h
class CollisionMesh;     // geometry/shapes/collision_mesh.h

/// The collision shapes, each in its own frame G. Lengths in m.
struct Sphere {
  double radius = 0.0;  ///< > 0; center at the origin
};
/// A cuboid about its center, along its axes.
struct Box {
  Eigen::Vector3d size = Eigen::Vector3d::Zero();  ///< full lengths, > 0; centered at the origin
};
/// A cylinder with caps, along z.
struct Capsule {
  double radius = 0.0;  ///< > 0
  double length = 0.0;  ///< of the cylindrical part along z, > 0; centered at the origin
};
/// A cylinder along z.
struct Cylinder {
  double radius = 0.0;  ///< > 0
  double length = 0.0;  ///< along z, > 0; centered at the origin
};
/// An ellipsoid about its center, along its axes.
struct Ellipsoid {
  Eigen::Vector3d semi_axes = Eigen::Vector3d::Zero();  ///< > 0
};
/// Solid where normal . x <= offset. Only for fixed bodies.
struct HalfSpace {
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();  ///< unit, out of the solid
  double offset = 0.0;                                ///< [m]
};

/// Polyhedra, height fields and meshes are shared: immutable and possibly large.
using Shape =
    std::variant<Sphere, Box, Capsule, Cylinder, Ellipsoid, HalfSpace,
                 std::shared_ptr<const ConvexPolyhedron>, std::shared_ptr<const HeightField>,
                 std::shared_ptr<const CollisionMesh>>;

/// "sphere", "box", "capsule", "cylinder", "ellipsoid", "half_space", "polyhedron", "heightfield",
/// "mesh".
std::string shape_type_name(const Shape& shape);

/// Radius of the smallest ball about the shape's origin G that contains it [m]; infinite for a
/// half-space.
double bounding_radius(const Shape& shape);

}  // namespace amontons
