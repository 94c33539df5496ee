#pragma once

#include "amontons/io/scene/scene_file.h"

#include <filesystem>

namespace amontons::io {

/// True for the files of robots and worlds, by their names: .urdf, .sdf, .world, .xml, .mjcf.
bool is_model_file(const std::filesystem::path& file);

/// A scene made of one robot or world file and nothing else, with the gravity, step and friction
/// that the file says, or else 9.81 m/s^2 along -z, 1 ms and 0.5; 1 s long. Its model is called
/// "model". Scene::text says all of it, so that a log of it can be read again.
/// @throws ParseError, as load_scene.
Scene load_model_scene(const std::filesystem::path& file, const LoadOptions& options = {});

}  // namespace amontons::io
