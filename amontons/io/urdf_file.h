#pragma once

#include "amontons/io/input_files.h"
#include "amontons/io/mesh_shape.h"
#include "amontons/simulation/import_ledger.h"
#include "amontons/simulation/scene.h"

#include <string>

namespace amontons::io {

/// What the reader of a robot file needs from the scene that names it.
struct ImportContext {
  InputFiles& inputs;
  MeshShapes& meshes;
  ImportLedger& ledger;
};

/// Reads a robot file of any known format into model.links and model.joints; model.file names it
/// relative to the scene.
/// @param named_at  the line of the scene that names the file.
/// @throws ParseError for a format that is not available, and as the format's reader.
void read_model_file(const std::string& text, ImportContext& context,
                     const SourceLocation& named_at, SceneModel& model);

/// Reads a URDF robot. Links come depth first, children in the order of their joints in the file;
/// each link's frame is that of its joint. Every element and attribute gets an entry in the ledger.
/// @throws ParseError with file and line: not XML, unexpanded xacro, a number that is not finite or
/// beyond 1e100, a missing or duplicate name, an unknown link, no root or several, a loop, a size
/// that is not positive, a mesh that cannot be used.
void read_urdf(const std::string& text, ImportContext& context, SceneModel& model);

}  // namespace amontons::io
