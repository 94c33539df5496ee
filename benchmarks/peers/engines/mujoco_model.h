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

/// The world as an MJCF model.
std::string mujoco_model(const World& world, const MujocoOptions& options);

}  // namespace amontons::peers
