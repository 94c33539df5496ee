#pragma once

#include "amontons/simulation/scene/scene.h"

#include <cstdint>
#include <string>
#include <vector>

namespace amontons::io {

/// What a run says once, before its rows.
struct RunHeader {
  std::int64_t version = 0;  ///< of the format
  std::string build;         ///< of the program that wrote it
  std::string scene_file, scene_text;
  std::vector<std::string> overrides;  ///< "path=value" given besides the scene file
  std::uint64_t seed = 0;
  std::vector<InputFile> inputs;
  std::vector<std::string> body_names, joint_names;
  std::vector<std::int32_t> joint_q_offset, joint_v_offset;  ///< -1: the joint is rows of J
  std::vector<std::int32_t> joint_first_row, joint_num_rows;
};

}  // namespace amontons::io
