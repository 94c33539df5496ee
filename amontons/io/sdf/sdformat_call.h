#pragma once

#include "amontons/io/sdf/sdf_data.h"
#include "amontons/io/sdf/sdf_document.h"

namespace amontons::io {

/// What libsdformat makes of a document. Its messages become part of the error instead of the
/// console.
/// @throws ParseError for what the files say together: frames that do not exist or depend on each
/// other, an empty model, a joint between what is no link.
SdfWorld resolve_with_sdformat(const SdfDocument& document);

}  // namespace amontons::io
