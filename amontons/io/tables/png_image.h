#pragma once

#include "amontons/io/tables/gray_image.h"

#include <string>
#include <string_view>

namespace amontons::io {

/// Returns true if the bytes begin like a PNG file.
bool is_png(std::string_view bytes);

/// Reads a PNG image by libpng. Values are those of the file, without a change of brightness; fewer
/// than 8 bits are spread to 8, a palette is resolved, and transparency does not count.
/// @throws ParseError for a file that is damaged or has more than 10^8 pixels.
GrayImage parse_png(const std::string& bytes, const std::string& name);

}  // namespace amontons::io
