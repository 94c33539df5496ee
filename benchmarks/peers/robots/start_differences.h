#pragma once

#include "benchmarks/peers/robots/colliding_robot.h"

#include <nlohmann/json.hpp>

namespace amontons::peers {

/// Holds the largest differences between Amontons and MuJoCo at the start of a robot.
struct StartDifferences {
  double mass = 0.0;         ///< of the total mass, relative [-]
  double mass_matrix = 0.0;  ///< of the entries between joints, over the largest entry [-]
  double position = 0.0;     ///< of the centers of mass [m]
  double vertex = 0.0;       ///< of the lowest vertices of hulls [m]; MuJoCo's are 32-bit numbers
};

nlohmann::json to_json(const StartDifferences& differences);

/// Compares the system of a robot with MuJoCo's reading of its world.
StartDifferences start_differences(const Robot& robot);

/// Throws std::runtime_error if the differences exceed those of rounding: 1e-9, and 1e-6 m for
/// vertices.
void require_equal(const StartDifferences& differences);

}  // namespace amontons::peers
