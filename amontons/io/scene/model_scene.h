#pragma once

#include "amontons/io/scene/scene_file.h"

#include <filesystem>

namespace amontons::io {

/// Returns true for files of robots and worlds, by their extension: .urdf, .sdf, .world, .xml,
/// .mjcf.
bool is_model_file(const std::filesystem::path& file);

/// Returns a scene made of one robot or world file and nothing else; its model is called "model".
/// Gravity, step and friction are those of the file, or else 9.81 m/s^2 along -z, 1 ms and 0.5. The
/// scene lasts 1 s. Scene::text holds the complete scene, so that a log of it can be read again.
/// @throws ParseError, as load_scene.
Scene load_model_scene(const std::filesystem::path& file, const LoadOptions& options = {});

}  // namespace amontons::io
