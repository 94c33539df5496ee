#pragma once

#include "amontons/io/import/import_context.h"

#include <string>

namespace amontons::io {

/// Reads a URDF robot. Links come depth first, children in the order of their joints in the file.
/// Each link's frame is that of its joint. Every element and attribute gets an entry in the ledger.
/// @throws ParseError with file and line for a text that is not XML and for unexpanded xacro. Also
/// for a number that is not finite or beyond 1e100. Also for a missing or duplicate name, an
/// unknown link, no root or several, and a loop. Also for a size that is not positive, and a mesh
/// that cannot be used.
void read_urdf(const std::string& text, ImportContext& context, SceneModel& model);

}  // namespace amontons::io
