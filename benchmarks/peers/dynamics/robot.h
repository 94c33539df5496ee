#pragma once

#include "amontons/simulation/system/system.h"
#include "benchmarks/peers/world.h"

#include <filesystem>
#include <string>
#include <vector>

namespace amontons::peers {

/// A robot with joints of one coordinate, in a form that every engine can take, and the offsets of
/// its joints in q and v.
struct Robot {
  System system;
  World world;  ///< a body for each link of the system's trees, articulation by articulation
  /// Offsets of each joint of the world, in q and v.
  std::vector<int> q_index, v_index;
};

/// Reads a scene or a robot file and separates its links; bodies fixed together are one link.
/// @throws io::ParseError, or std::invalid_argument for a robot with other joints, or with links
/// that have no inertia.
Robot load_robot(const std::filesystem::path& file);

}  // namespace amontons::peers
