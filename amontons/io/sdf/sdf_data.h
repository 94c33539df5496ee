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

/// What an SDF file says once frames, defaults and includes are resolved: no library's types, so
/// that the files sdformat_* alone need libsdformat. SI, poses at the zero of all joints.

enum class SdfShapeKind { Empty, Box, Sphere, Cylinder, Capsule, Cone, Ellipsoid, Plane, Mesh };

struct SdfCollision {
  std::string name;
  Pose X_LG;  ///< in the link
  SdfShapeKind kind = SdfShapeKind::Empty;
  /// Full lengths of a box, semi-axes of an ellipsoid, (radius, length) of a cylinder and the like,
  /// normal of a plane, scale of a mesh.
  Eigen::Vector3d size = Eigen::Vector3d::Zero();
  std::string uri;   ///< of a mesh
  std::string file;  ///< path that libsdformat read the collision from; empty: the main file
  std::optional<double> friction, restitution;
  std::uint32_t category = 0xffff, mask = 0xffff;
  bool only_sensed = false;  ///< collides without forces
  int line = 0, shape_line = 0;
};

struct SdfLink {
  std::string name;  ///< with the names of nested models before it: "inner::link"
  Pose X_ML;         ///< in the model
  SpatialInertia inertia;
  std::vector<SdfCollision> collisions;
  bool gravity = true, self_collide = false;
  SourceLocation where;
};

/// position = multiplier (position of `joint` - reference) + offset.
struct SdfMimic {
  std::string joint;
  double multiplier = 1.0, offset = 0.0, reference = 0.0;
};

struct SdfAxis {
  Eigen::Vector3d xyz = Eigen::Vector3d::UnitZ();  ///< unit, in the joint frame
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  std::optional<double> effort, velocity;
  double damping = 0.0, friction = 0.0, stiffness = 0.0, rest_position = 0.0;
  std::optional<double> initial_position;
  std::optional<SdfMimic> mimic;
};

struct SdfJoint {
  std::string name, type;
  int parent = -1, child = -1;  ///< links; -1: the world
  Pose X_MJ;                    ///< joint frame in the model
  SdfAxis axis, axis2;
  double pitch = 0.0;          ///< of a screw [m/rad]
  double gear_ratio = 1.0;     ///< of a gearbox
  std::string gear_reference;  ///< link of the gearbox's housing
  SourceLocation where;
};

struct SdfModel {
  std::string name;
  Pose X_WM;
  bool is_static = false, self_collide = false;
  std::vector<SdfLink> links;
  std::vector<SdfJoint> joints;
  SourceLocation where;
};

struct SdfWorld {
  bool is_world = false;  ///< false: the file holds one model and no world
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();
  double step = 0.0;
  std::vector<SdfModel> models;
};

}  // namespace amontons::io
