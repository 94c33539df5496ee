#pragma once

#include "amontons/io/import/import_context.h"

#include <string>

namespace amontons::io {

/// Reads an MJCF file into the model: a fixed root link `world`, the bodies below it with the
/// frames of the file. A body on several joints ends a chain of links without mass, named
/// BODY@JOINT. A body or joint without a name is called by its number.
///
/// The start is the keyframe `home`, or qpos0 where there is none.
/// @throws ParseError for input that is malformed, refers to something that is not there, or would
///     leave out bodies or shapes.
void read_mjcf(const std::string& text, ImportContext& context, SceneModel& model);

}  // namespace amontons::io
