#pragma once

#include "amontons/dynamics/joint.h"
#include "amontons/geometry/shapes/shape.h"
#include "amontons/math/pose.h"
#include "amontons/simulation/scene/scene.h"

#include <Eigen/Core>

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace amontons::peers {

struct WorldShape {
  Shape shape;
  Pose X_BG;
};

/// A rigid body in a form that every engine can take: its frame is at the center of mass, along
/// principal axes.
struct WorldBody {
  std::string name;
  bool planar = false;  ///< kept in the x-z plane
  double mass = 0.0;
  Eigen::Vector3d inertia = Eigen::Vector3d::Zero();  ///< principal [kg m^2]
  Pose X_WB;
  Eigen::Vector3d linear = Eigen::Vector3d::Zero(), angular = Eigen::Vector3d::Zero();
  std::vector<WorldShape> shapes;
};

/// A joint of one coordinate, and the only one that carries its child. Bodies that a joint connects
/// do not collide, unless the world says which bodies do not.
struct WorldJoint {
  std::string name;
  JointType type = JointType::Revolute;               ///< Revolute or Prismatic
  int parent = -1, child = -1;                        ///< in World::moving; parent -1: the world
  Eigen::Vector3d axis_W = Eigen::Vector3d::UnitZ();  ///< unit, at the start
  Eigen::Vector3d at_W = Eigen::Vector3d::Zero();     ///< center, at the start [m]
  double friction = 0.0;                              ///< dry [N m or N]
  double damping = 0.0;                               ///< viscous [N m s/rad or N s/m]
  double armature = 0.0;                              ///< rotor inertia [kg m^2 or kg]
  std::optional<std::array<double, 2>> limits;        ///< from the start [rad or m]
  double rate = 0.0;                                  ///< at the start [rad/s or m/s]
  std::optional<JointServo> servo;                    ///< position servo without effort limit
  std::optional<JointMotion> motion;                  ///< prescribed

  bool is_driven() const { return servo || motion; }
  /// Returns the target of servo or motion [rad or m].
  double target(double time) const;
  Pose frame() const { return {Eigen::Matrix3d::Identity(), at_W}; }  ///< at the start, in W
};

/// Couples the positions of two joints, counted from the start.
struct WorldCoupling {
  int joint = -1, reference = -1;  ///< in World::joints; reference -1: the joint keeps the offset
  double multiplier = 1.0, offset = 0.0;  ///< joint = multiplier reference + offset [-], [rad or m]
};

/// A scene file reduced to what all engines of the comparison share: bodies of one material, free,
/// fixed or on joints that close no loop.
struct World {
  Scene scene;  ///< as Amontons reads it
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();
  double step = 0.0, duration = 0.0;            ///< [s]
  double friction = 0.0, restitution = 0.0;     ///< those of every pair
  std::vector<WorldBody> moving, fixed_bodies;  ///< in the order of the scene
  std::vector<WorldJoint> joints;               ///< in the order of their children
  std::vector<WorldCoupling> couplings;         ///< gears; not of a scene file
  /// Holds the pairs of moving bodies that do not collide, if these are not those of the joints.
  std::optional<std::vector<std::pair<int, int>>> excluded;

  bool is_driven() const;
  /// Returns the joint that carries a moving body, or null if it is free.
  const WorldJoint* joint_of(std::size_t body) const;
};

/// Reduces a scene.
/// @throws std::invalid_argument for one that a World cannot represent.
World make_world(Scene scene);

/// Reads a scene and reduces it.
/// @throws io::ParseError, or std::invalid_argument for a scene that a World cannot represent.
World load_world(const std::filesystem::path& file,
                 const std::vector<std::pair<std::string, std::string>>& overrides = {});

/// A half-space of a fixed body in the world: solid where normal . x <= offset.
HalfSpace half_space_in_world(const WorldBody& body, const WorldShape& shape);

}  // namespace amontons::peers
