#pragma once

#include "amontons/io/scene/scene_file.h"

#include <string>

// Scenes of one MJCF file whose text a test gives.

namespace amontons::test {

/// Returns the scene of a model `m`, of which the text is what <mujoco> holds.
/// @param step  [s].
inline Scene scene_of_mjcf(const std::string& content, const std::string& step = "0.001",
                           const std::string& keys = "") {
  io::MemoryFiles files;
  files.add("m.xml", "<mujoco>" + content + "</mujoco>");
  return io::parse_scene("amontons: 1\nsimulation: {step: " + step +
                             ", duration: 1}\nmodels: [{name: m, file: m.xml" + keys + "}]\n",
                         "scene.yaml", files);
}

}  // namespace amontons::test
