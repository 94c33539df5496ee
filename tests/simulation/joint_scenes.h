#pragma once

#include "tests/simulation/scenes.h"

#include <Eigen/Geometry>

#include <string>

// Scenes of bodies on joints.

namespace amontons::test {

/// A moving body without shapes, with the given principal moments about its center.
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

}  // namespace amontons::test
