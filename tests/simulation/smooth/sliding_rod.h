#pragma once

#include "tests/simulation/scenes.h"

#include <cmath>

namespace amontons::test {

/// Adds a thin planar rod of 1 m and 1 kg, up and to the right of its lower end, and the ground.
/// The lower end is a point at the origin that slides along x.
inline void add_sliding_rod(Scene& scene, double angle, double slip, double turn) {
  SceneBody rod;
  rod.name = "rod";
  rod.base = BaseType::Planar;
  rod.inertia = {1.0, Eigen::Vector3d::Zero(), Eigen::Matrix3d::Identity() / 12.0};
  const Eigen::Vector3d arm(0.5 * std::cos(angle), 0.0, 0.5 * std::sin(angle));
  rod.pose.translation = arm;
  rod.angular_velocity = {0.0, turn, 0.0};
  rod.linear_velocity = Eigen::Vector3d(slip, 0.0, 0.0) + rod.angular_velocity.cross(arm);
  Pose tip;
  tip.translation = -arm + Eigen::Vector3d(0.0, 0.0, 1e-9);
  rod.shapes.push_back({Sphere{1e-9}, tip, "default"});
  scene.bodies.push_back(rod);
  add_ground(scene);
}

}  // namespace amontons::test
