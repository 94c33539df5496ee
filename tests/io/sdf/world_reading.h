#pragma once

#include "amontons/io/import/import_context.h"
#include "amontons/io/import/model_visuals.h"
#include "amontons/io/scene/scene_file.h"

// Worlds of SDF as a scene reads them.

namespace amontons::test {

/// Holds a world as it is read, the settings that it makes for a scene, and what it draws.
struct WorldReading {
  Scene scene;
  io::WorldSettings settings;
  io::ModelVisuals visuals;
};

/// Reads the world w.sdf of some files.
inline WorldReading read_world(const io::MemoryFiles& files) {
  WorldReading result;
  io::LoadOptions options;
  options.world = &result.settings;
  options.visuals = &result.visuals;
  result.scene = io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: w, file: w.sdf}]\n",
      "scene.yaml", files, options);
  return result;
}

}  // namespace amontons::test
