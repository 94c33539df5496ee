#pragma once

#include "amontons/io/common/file_source.h"
#include "amontons/simulation/scene/scene.h"

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace amontons::io {

struct WorldSettings;  // import_context.h

/// How a scene is read.
struct LoadOptions {
  /// Folders of the packages that `package://NAME/...` and `model://NAME/...` name.
  std::map<std::string, std::filesystem::path> packages = {};

  /// path=value, applied to the scene before it is checked, e.g. {"simulation.step", "0.01"} or
  /// {"bodies.box.mass", "2"}. A path goes through keys, and through lists by name or by index from
  /// 0; the value is YAML. A last key that is absent is added.
  std::vector<std::pair<std::string, std::string>> overrides = {};

  /// All files, the scene itself included, come from here; by default from the disk.
  const FileSource* source = nullptr;

  /// Receives what robot and world files say of the whole scene; the scene itself has its own.
  WorldSettings* world = nullptr;
};

/// Reads a scene file (YAML) and all files it names.
///
/// The reader is strict: an unknown, duplicate or missing key, a wrong type, a number that is not
/// finite or beyond 1e100, an unknown name, or a key of the format that this version does not carry
/// out is an error. What is read but not used, or used approximately, is in Scene::ledger.
/// @throws ParseError with file, line, column and remedy.
Scene load_scene(const std::filesystem::path& file, const LoadOptions& options = {});

/// The same for a text at hand. Scene::inputs of an earlier reading, given as MemoryFiles, suffice
/// as the source to read the same text again, bit for bit.
/// @param name  of the scene file, for the errors; the other files are named relative to it.
Scene parse_scene(const std::string& text, const std::string& name, const FileSource& source,
                  const LoadOptions& options = {});

}  // namespace amontons::io
