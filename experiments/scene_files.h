#pragma once

#include "amontons/simulation/scene/scene.h"

#include <filesystem>
#include <string>

namespace amontons::experiments {

/// Writes the text of a scene as FOLDER/NAME.yaml, and the files that it names beside it. Changes
/// of the text (--set) stand in a comment, as the command that runs the scene. A scene that names
/// files outside of its folder is not written: they lie with the experiment.
/// @throws io::OutputError naming the file that cannot be written.
void write_scene_files(const Scene& scene, const std::filesystem::path& folder,
                       const std::string& name);

}  // namespace amontons::experiments
