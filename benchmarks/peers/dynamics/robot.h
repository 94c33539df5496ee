#pragma once

#include "amontons/simulation/system/system.h"
#include "benchmarks/peers/world.h"

#include <filesystem>
#include <string>
#include <vector>

namespace amontons::peers {

/// Locates a body of the world in the system: a link of a tree, and the body's frame in it.
struct RobotLink {
  int articulation = -1, link = -1;
  Pose X_LB;
};

/// A robot with joints of one coordinate, in a form that every engine can take, and the offsets of
/// its joints in q and v.
struct Robot {
  System system;
  World world;  ///< a body for each link of the system's trees, articulation by articulation
  /// Offsets of each joint of the world, in q and v.
  std::vector<int> q_index, v_index;
  std::vector<RobotLink> links;  ///< of each moving body of the world
};

/// Separates the links of a scene; bodies fixed together are one link. Fixed bodies, shapes,
/// gears, and limits and friction of joints are left out.
/// @throws std::invalid_argument for a robot with joints of several coordinates or closed loops, or
/// with links that have no inertia.
Robot reduce_robot(const Scene& scene);

/// Reads a scene or a robot file and separates its links.
/// @throws io::ParseError, or std::invalid_argument as reduce_robot(), and for gears and
/// joints with armature.
Robot load_robot(const std::filesystem::path& file);

}  // namespace amontons::peers
