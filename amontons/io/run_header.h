#pragma once

#include "amontons/io/hdf5_handle.h"
#include "amontons/simulation/scene.h"
#include "amontons/simulation/system.h"

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

/// Writes attributes, /inputs and the names of bodies and joints.
void write_run_header(const Hdf5Handle& file, const Scene& scene, const System& system,
                      const std::vector<std::string>& overrides);

/// @throws ParseError if the file is no run, of a newer version, or an input does not match its
/// SHA-256.
RunHeader read_run_header(const Hdf5Handle& file, const std::string& path);

/// Names of the enumerators behind a coded dataset, as attribute "names" ("0 Open, 1 Stick, ...").
void write_code_names(const Hdf5Handle& file);

}  // namespace amontons::io
