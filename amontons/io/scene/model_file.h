#pragma once

#include "amontons/io/import/import_context.h"
#include "amontons/simulation/scene/scene.h"

#include <string>
#include <vector>

namespace amontons::io {

/// Reads a robot or world file: URDF, SDF or MJCF, as the root element says.
/// @param prototype  the scene's settings for it; prototype.file names it relative to the scene.
/// @returns one model, or those of a world, as "name/model".
/// @throws ParseError as the format's reader.
std::vector<SceneModel> read_model_file(const std::string& text, ImportContext& context,
                                        const SceneModel& prototype);

}  // namespace amontons::io
