#pragma once

#include "amontons/math/pose.h"
#include "amontons/math/spatial_inertia.h"
#include "amontons/simulation/scene/source_location.h"

#include <Eigen/Core>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace amontons::io {

// Plain data of an SDF file after frames, defaults and includes are resolved. It has no library's
// types, so that only the files sdformat_* need libsdformat. Units are SI, poses hold at the zero
// of all joints.

/// Names the kinds of collision shapes.
enum class SdfShapeKind {
  Empty,
  Box,
  Sphere,
  Cylinder,
  Capsule,
  Cone,
  Ellipsoid,
  Plane,
  Mesh,
  HeightMap,
  Polylines
};

/// Holds one collision of a link: pose, shape, surface and bit masks.
struct SdfCollision {
  std::string name;
  Pose X_LG;  ///< in the link
  SdfShapeKind kind = SdfShapeKind::Empty;
  /// Full lengths of a box, semi-axes of an ellipsoid, (radius, length) of a cylinder and the like,
  /// all [m]. Normal of a plane, scale of a mesh. Extent of a height map, and its largest height.
  Eigen::Vector3d size = Eigen::Vector3d::Zero();
  std::string uri;           ///< URI of a mesh or image, or the text of polylines
  std::string part;          ///< of the mesh; empty: all of it
  bool is_centered = false;  ///< the middle of the part is the origin
  bool as_hull = false;      ///< optimization="convex_hull" of a mesh
  std::string file;  ///< path that libsdformat read the collision from; empty: the main file
  std::optional<double> friction, restitution;
  std::uint32_t category = 0xffff, mask = 0xffff;
  bool only_sensed = false;       ///< collides without forces
  std::optional<double> density;  ///< [kg/m^3], where the inertia comes from the shapes
  int line = 0, shape_line = 0;
};

/// Holds one link with its inertia and collisions.
struct SdfLink {
  std::string name;  ///< with the names of nested models before it: "inner::link"
  Pose X_ML;         ///< in the model
  SpatialInertia inertia;
  bool auto_inertia = false;                 ///< the inertia comes from the shapes
  std::optional<double> mass, auto_density;  ///< [kg], [kg/m^3], where the file gives them
  std::vector<SdfCollision> collisions;
  bool gravity = true, self_collide = false;
  SourceLocation where;
};

/// Describes the relation q = multiplier (q(joint) - reference) + offset.
struct SdfMimic {
  std::string joint;
  double multiplier = 1.0, offset = 0.0, reference = 0.0;
};

/// Holds one axis of a joint with limits [m or rad], bounds, friction, spring and start along it.
struct SdfAxis {
  Eigen::Vector3d xyz = Eigen::Vector3d::UnitZ();  ///< unit, in the joint frame
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  std::optional<double> effort, velocity;
  double damping = 0.0, friction = 0.0, stiffness = 0.0, rest_position = 0.0;
  std::optional<double> initial_position;
  std::optional<SdfMimic> mimic;
};

/// Holds one joint between two links, or the world and a link.
struct SdfJoint {
  std::string name, type;
  int parent = -1, child = -1;  ///< links; -1: the world
  Pose X_MJ;                    ///< joint frame in the model
  SdfAxis axis, axis2;
  double pitch = 0.0;          ///< pitch of a screw [m/rad]
  double gear_ratio = 1.0;     ///< ratio of a gearbox
  std::string gear_reference;  ///< link of the gearbox's housing
  SourceLocation where;
};

/// Holds one model with all its nested models as one list of links and joints.
struct SdfModel {
  std::string name;
  Pose X_WM;
  bool is_static = false, self_collide = false;
  std::vector<SdfLink> links;
  std::vector<SdfJoint> joints;
  SourceLocation where;
};

/// Holds the models of a file, and the settings of its world.
struct SdfWorld {
  bool is_world = false;  ///< false: the file holds one model and no world
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();
  double step = 0.0;  ///< [s]; 0 where the file gives none
  std::vector<SdfModel> models;
};

}  // namespace amontons::io
