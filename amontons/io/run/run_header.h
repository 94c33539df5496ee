#pragma once

#include "amontons/simulation/scene/scene.h"

#include <cstdint>
#include <string>
#include <vector>

namespace amontons::io {

/// Holds the extents that the datasets of a run share.
struct RunSizes {
  std::int64_t positions = 0, velocities = 0;  ///< nq and nv
  std::int64_t bodies = 0, joint_rows = 0;     ///< nB and nr

  bool operator==(const RunSizes&) const = default;  ///< compares all of them
};

/// Holds what a run records once, before its rows.
struct RunHeader {
  RunSizes sizes;                      ///< extents of the datasets
  std::int64_t version = 0;            ///< version of the format
  std::string build;                   ///< build of the program that wrote it
  std::string scene_file, scene_text;  ///< the scene: its name as given, and its text as read
  std::vector<std::string> overrides;  ///< "path=value" given besides the scene file
  std::uint64_t seed = 0;              ///< seed of the simulation's random numbers
  std::vector<InputFile> inputs;       ///< every file that the scene read
  std::vector<std::string> body_names, joint_names;           ///< in the order of the datasets
  std::vector<std::int32_t> joint_q_offset, joint_v_offset;   ///< -1: the joint is rows of J
  std::vector<std::int32_t> joint_first_row, joint_num_rows;  ///< rows of J of each joint
};

}  // namespace amontons::io
