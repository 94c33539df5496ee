#pragma once

#include <Eigen/Core>

#include <memory>
#include <string>
#include <variant>

namespace amontons {

class ConvexPolyhedron;  // geometry/shapes/convex_polyhedron.h
class HeightField;       // geometry/shapes/height_field.h
class CollisionMesh;     // geometry/shapes/collision_mesh.h

/// Describes a ball. Each shape is given in its own frame G, with lengths in [m].
struct Sphere {
  double radius = 0.0;  ///< [m], > 0; center at the origin
};
/// Describes a cuboid about the origin, along its axes.
struct Box {
  Eigen::Vector3d size = Eigen::Vector3d::Zero();  ///< full lengths [m], > 0
};
/// Describes a cylinder with caps, along z.
struct Capsule {
  double radius = 0.0;  ///< [m], > 0
  double length = 0.0;  ///< cylindrical part along z [m], > 0; centered at the origin
};
/// Describes a cylinder along z.
struct Cylinder {
  double radius = 0.0;  ///< [m], > 0
  double length = 0.0;  ///< along z [m], > 0; centered at the origin
};
/// Describes an ellipsoid about the origin, along its axes.
struct Ellipsoid {
  Eigen::Vector3d semi_axes = Eigen::Vector3d::Zero();  ///< [m], > 0
};
/// Describes a solid where normal . x <= offset. Only for fixed bodies.
struct HalfSpace {
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();  ///< unit, out of the solid
  double offset = 0.0;                                ///< [m]
};

/// Holds any shape. Polyhedra, height fields and meshes are shared: immutable and possibly large.
using Shape =
    std::variant<Sphere, Box, Capsule, Cylinder, Ellipsoid, HalfSpace,
                 std::shared_ptr<const ConvexPolyhedron>, std::shared_ptr<const HeightField>,
                 std::shared_ptr<const CollisionMesh>>;

/// Returns "sphere", "box", "capsule", "cylinder", "ellipsoid", "half_space", "polyhedron",
/// "heightfield" or "mesh".
std::string shape_type_name(const Shape& shape);

/// Returns the radius of the smallest ball about the shape's origin G that contains it [m]. It is
/// infinite for a half-space and a height field.
double bounding_radius(const Shape& shape);

}  // namespace amontons
