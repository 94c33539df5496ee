#pragma once

#include "amontons/simulation/scene/source_location.h"

#include <filesystem>
#include <optional>
#include <string>

namespace amontons::io {

/// Returns the URDF that the program `xacro` makes of a file; none where it is not installed.
/// @throws ParseError at `where` if the program refuses the file, or takes longer than a minute.
std::optional<std::string> expand_xacro(const std::filesystem::path& file,
                                        const SourceLocation& where);

}  // namespace amontons::io
