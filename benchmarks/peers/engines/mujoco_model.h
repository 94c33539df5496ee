#pragma once

#include "benchmarks/peers/world.h"

#include <string>

namespace amontons::peers {

/// The settings of MuJoCo that are part of its model file.
struct MujocoOptions {
  std::string cone = "pyramidal", solver = "Newton";
  int noslip_iterations = 0;
  double impratio = 1.0;
  bool stiff = false;  ///< solref 2 h, solimp 0.99 0.9999
};

/// @throws std::invalid_argument for an unknown setting.
MujocoOptions mujoco_options(const std::string& setting);

/// Stiffness of the servo of a prescribed motion: 1 kg follows within 0.01 mm under its weight.
/// Damping is critical for some kilograms.
inline constexpr double kMotionStiffness = 1e6, kMotionDamping = 4e3;

/// Returns the world as an MJCF model. Its actuators are position servos of the driven joints, in
/// the order of World::joints. Their dampers are those of the joints, which MuJoCo treats
/// implicitly.
std::string mujoco_model(const World& world, const MujocoOptions& options);

}  // namespace amontons::peers
