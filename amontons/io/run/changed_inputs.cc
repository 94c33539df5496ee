#include "amontons/io/run/changed_inputs.h"

#include "amontons/io/common/file_source.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/run/run_header.h"
#include "amontons/io/scene/model_scene.h"

#include <filesystem>
#include <stdexcept>

namespace amontons::io {
namespace {

/// Returns true if the file exists and its bytes differ from the recorded ones.
bool has_changed(const DiskFiles& disk, const std::string& name, const std::string& bytes) try {
  return disk.exists(name) && disk.read(name) != bytes;
} catch (const std::runtime_error& error) {
  throw ParseError(name, 0, 0, error.what());
}

}  // namespace

std::vector<std::string> changed_inputs(const RunHeader& header) {
  const std::filesystem::path scene(header.scene_file), folder = scene.parent_path();
  std::vector<std::string> changed;
  // The scene around a single model is made by the program: no file holds its text.
  if (!is_model_file(scene) && has_changed(DiskFiles(), header.scene_file, header.scene_text)) {
    changed.push_back(header.scene_file);
  }
  // Inputs are named relative to the folder of the scene.
  const DiskFiles disk(folder);
  for (const InputFile& input : header.inputs) {
    // What xacro makes of a file is recorded in its place.
    if (input.path.ends_with(".xacro")) continue;
    if (has_changed(disk, input.path, input.bytes))
      changed.push_back((folder / input.path).string());
  }
  return changed;
}

}  // namespace amontons::io
