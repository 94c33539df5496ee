#pragma once

#include "amontons/io/import/import_context.h"

#include <string>
#include <vector>

namespace amontons::io {

/// Holds what an SDF file brings to a scene.
struct SdfContents {
  std::vector<SceneModel> models;
  /// Holds the name, file, pose and base of each URDF file that the world includes, for its reader.
  std::vector<SceneModel> robots;
};

/// Reads an SDF file, version 1.0 to 1.12: one model, or a world of several. Each becomes a model
/// of the scene, those of a world under the names "name/model". Links keep their frames. Every
/// element and attribute of the file and of all included files gets one record in the ledger.
/// @param prototype  name, file, pose of the file's origin, and the scene's other settings for it.
/// @throws ParseError with file and line.
SdfContents read_sdf(const std::string& text, ImportContext& context, const SceneModel& prototype);

}  // namespace amontons::io
