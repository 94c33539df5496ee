#pragma once

#include "amontons/io/sdf/sdf_data.h"
#include "amontons/io/sdf/sdf_document.h"

#include <string>

namespace amontons::io {

/// Resolves a document with libsdformat, or what is left of its main file as `text`. Its messages
/// become part of the error instead of going to the console.
/// @throws ParseError for frames that do not exist or depend on each other. Also for an empty
/// model, and for a joint whose ends are not links.
SdfWorld resolve_with_sdformat(const SdfDocument& document, const std::string& text);

}  // namespace amontons::io
