#pragma once

#include "amontons/io/sdf/sdf_document.h"

#include <string>

namespace amontons::io {

/// Returns the place of an error of libsdformat. Most of its errors have no line, but name an
/// element: "link with name[x]".
/// @param path  path of the file that libsdformat read, or empty.
/// @param line  line of the error, 0 where it has none.
SourceLocation locate_sdf_error(const SdfDocument& document, const std::string& path, int line,
                                const std::string& message);

}  // namespace amontons::io
