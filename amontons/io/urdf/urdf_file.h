#pragma once

#include "amontons/io/import/import_context.h"

#include <string>

namespace amontons::io {

/// Reads a URDF robot. Links come depth first, children in the order of their joints in the file;
/// each link's frame is that of its joint. Every element and attribute gets an entry in the ledger.
/// @throws ParseError with file and line: not XML, unexpanded xacro, a number that is not finite or
/// beyond 1e100, a missing or duplicate name, an unknown link, no root or several, a loop, a size
/// that is not positive, a mesh that cannot be used.
void read_urdf(const std::string& text, ImportContext& context, SceneModel& model);

}  // namespace amontons::io
