#pragma once

#include "tests/simulation/scenes.h"

#include <Eigen/Geometry>

#include <string>

// Scenes of bodies on joints.

namespace amontons::test {

/// Adds a moving body without shapes, with the given principal moments about its center.
inline SceneBody& add_mass(Scene& scene, const std::string& name, double mass,
                           const Eigen::Vector3d& moments, const Eigen::Vector3d& position) {
  SceneBody body;
  body.name = name;
  body.inertia = {mass, Eigen::Vector3d::Zero(), moments.asDiagonal()};
  body.pose.translation = position;
  scene.bodies.push_back(body);
  return scene.bodies.back();
}

inline SceneJoint& add_joint(Scene& scene, const std::string& name, JointType type,
                             const std::string& parent, const std::string& child,
                             const Eigen::Vector3d& axis, const Eigen::Vector3d& at) {
  SceneJoint joint;
  joint.name = name;
  joint.type = type;
  joint.parent = parent;
  joint.child = child;
  joint.axis_W = axis;
  joint.at_W = at;
  scene.joints.push_back(joint);
  return scene.joints.back();
}

inline const JointCoordinate& joint_of(const System& system, const std::string& name) {
  return system.joints().at(static_cast<std::size_t>(system.find_joint(name)));
}
inline double joint_position(const Simulator& simulator, const std::string& name) {
  return simulator.state().q[joint_of(simulator.system(), name).q_offset];
}
inline double joint_rate(const Simulator& simulator, const std::string& name) {
  return simulator.state().v[joint_of(simulator.system(), name).v_offset];
}

/// Makes an arm of three links in space, with a spring and a damper in its elbow.
inline Scene arm(double step, double duration) {
  Scene scene = empty_scene(step, duration, "coulomb");
  add_mass(scene, "base", 2.0, {0.02, 0.02, 0.02}, {0.0, 0.0, 0.2});
  add_mass(scene, "upper", 1.0, {0.001, 0.01, 0.01}, {0.3, 0.0, 0.4});
  add_mass(scene, "lower", 0.6, {0.001, 0.006, 0.007}, {0.8, 0.05, 0.4});
  add_joint(scene, "yaw", JointType::Continuous, "world", "base", Eigen::Vector3d::UnitZ(),
            Eigen::Vector3d::Zero());
  add_joint(scene, "shoulder", JointType::Revolute, "base", "upper", Eigen::Vector3d::UnitY(),
            {0.0, 0.0, 0.4})
      .position = 0.3;
  SceneJoint& elbow = add_joint(scene, "elbow", JointType::Revolute, "upper", "lower",
                                Eigen::Vector3d::UnitY(), {0.6, 0.0, 0.4});
  elbow.position = -0.8;
  elbow.dynamics.stiffness = 5.0;
  elbow.dynamics.rest_position = 0.1;
  elbow.dynamics.viscous_friction = 0.3;
  elbow.dynamics.armature = 0.02;
  return scene;
}

}  // namespace amontons::test
