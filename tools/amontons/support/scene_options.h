#pragma once

#include "amontons/io/scene/scene_file.h"
#include "amontons/simulation/simulator.h"

#include <string>
#include <vector>

namespace amontons::cli {

class Verb;

/// Holds the options that change what a scene says, shared by the verbs that load one.
struct SceneOptions {
  std::vector<std::string> packages;   ///< NAME=DIR
  std::vector<std::string> overrides;  ///< path=value
  std::vector<std::string> collide;    ///< mesh, hull, parts, none, or NAME= and one of these
  std::vector<std::string> max_hull_vertices;  ///< a number, or NAME= and one
  std::string step, duration;                  ///< [s] in place of the scene's; empty: as it says
};

/// Makes the value of a path the scene's own, unless it is empty.
void add_override(SceneOptions& options, const std::string& path, const std::string& value);

/// Turns --step, --duration, --collide and --max-hull-vertices into overrides.
void expand_shorthands(SceneOptions& options);

/// Adds --set, --collide, --max-hull-vertices and --package.
void add_reading_options(Verb& verb, SceneOptions& options);

/// Adds --step and --duration, and what add_reading_options() adds.
void add_scene_options(Verb& verb, SceneOptions& options);

/// Returns the options of the reader of scenes. @throws io::ParseError for an item without '='.
io::LoadOptions load_options(const SceneOptions& options);

/// Returns the scene of a scene file, or a scene made of one robot or world file and nothing else.
/// @throws io::ParseError.
/// @param visuals  receives what the files of models draw, if anybody asks for it.
Scene load_scene_or_model(const std::string& file, const SceneOptions& options,
                          io::ModelVisuals* visuals = nullptr);

/// Returns a simulator of a scene. A scene that reads well may still not be simulable: a loop
/// without a joint, an unknown model.
/// @throws io::ParseError naming the file and what is wrong; Failure if not even its start is
/// within bounds.
Simulator make_simulator(const Scene& scene, const std::string& file, int num_threads = 0);

}  // namespace amontons::cli
