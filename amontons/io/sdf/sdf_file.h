#pragma once

#include "amontons/io/import/import_context.h"

#include <string>
#include <vector>

namespace amontons::io {

/// Reads an SDF file, version 1.4 to 1.9: one model, or a world of several. Each becomes a model of
/// the scene, those of a world under the names "name/model". Links keep their frames. Every element
/// and attribute of the file and of all included files gets one record in the ledger.
/// @param prototype  name, file, pose of the file's origin, and the scene's other settings for it.
/// @throws ParseError with file and line.
std::vector<SceneModel> read_sdf(const std::string& text, ImportContext& context,
                                 const SceneModel& prototype);

}  // namespace amontons::io
