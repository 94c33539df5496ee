#pragma once

#include "benchmarks/peers/world.h"

#include <string>

namespace amontons::peers {

/// What of MuJoCo's settings goes into its model file.
struct MujocoOptions {
  std::string cone = "pyramidal", solver = "Newton";
  int noslip_iterations = 0;
  double impratio = 1.0;
  bool stiff = false;  ///< solref 2 h, solimp 0.99 0.9999
};

/// @throws std::invalid_argument for an unknown setting.
MujocoOptions mujoco_options(const std::string& setting);

/// A prescribed motion is a servo so stiff that 1 kg follows within 0.01 mm under its weight, with
/// critical damping for some kilograms.
inline constexpr double kMotionStiffness = 1e6, kMotionDamping = 4e3;

/// The world as an MJCF model. Its actuators are position servos of the driven joints, in the order
/// of World::joints; their dampers are the joints' own, which MuJoCo takes implicitly.
std::string mujoco_model(const World& world, const MujocoOptions& options);

}  // namespace amontons::peers
