#pragma once

#include "amontons/io/common/file_source.h"
#include "amontons/simulation/scene/scene.h"

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace amontons::io {

class MeshShapes;      // import/mesh_shape.h
struct ModelVisuals;   // import/model_visuals.h
struct WorldSettings;  // import_context.h

/// Holds the options for reading a scene.
struct LoadOptions {
  /// Folders of the packages that `package://NAME/...` and `model://NAME/...` name.
  std::map<std::string, std::filesystem::path> packages = {};

  /// Pairs of path and value, applied to the scene ahead of all checks, e.g. {"simulation.step",
  /// "0.01"} or {"bodies.box.mass", "2"}. A path leads through keys, and through lists by name or
  /// by index from 0. The value is YAML. A last key that is absent is added.
  std::vector<std::pair<std::string, std::string>> overrides = {};

  /// Source of all files, the scene itself included; by default the disk.
  const FileSource* source = nullptr;
  /// Source of the files that are only drawn; null: that of all others.
  const FileSource* looks = nullptr;

  /// Receives the settings that robot and world files make for the whole scene. The scene has
  /// settings of its own.
  WorldSettings* world = nullptr;

  /// Keeps meshes from one reading of the same files to the next.
  MeshShapes* meshes = nullptr;

  /// Receives what the files of models draw. The mesh files of it become inputs of the scene.
  ModelVisuals* visuals = nullptr;
};

/// Reads a scene file (YAML) and all files it names.
///
/// The reader is strict: unknown, duplicate and missing keys, wrong types and unknown names are
/// errors. So are numbers that are not finite or beyond 1e100, and keys of the format that this
/// version does not carry out. Scene::ledger lists the elements that are read but not used, or used
/// approximately.
/// @throws ParseError with file, line, column and remedy; ParseErrors with up to 20 faults that do
/// not follow from each other.
Scene load_scene(const std::filesystem::path& file, const LoadOptions& options = {});

/// Reads a scene from a text instead of a file. Scene::inputs of an earlier reading, given as
/// MemoryFiles, suffice as the source to read the same text again, bit for bit.
/// @param name  the name of the scene file, for the errors; the other files are named relative to
/// it.
Scene parse_scene(const std::string& text, const std::string& name, const FileSource& source,
                  const LoadOptions& options = {});

}  // namespace amontons::io
