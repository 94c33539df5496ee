#pragma once

#include "amontons/io/sdf/sdf_document.h"

#include <string>

namespace amontons::io {

/// Where an error of libsdformat belongs. Most have no line, but say "link with name[x]".
/// @param path  of the file that it read, or empty.
/// @param line  0 where it has none.
SourceLocation locate_sdf_error(const SdfDocument& document, const std::string& path, int line,
                                const std::string& message);

}  // namespace amontons::io
