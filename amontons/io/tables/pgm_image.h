#pragma once

#include "amontons/io/tables/gray_image.h"

#include <string>
#include <string_view>

namespace amontons::io {

/// Returns true if the bytes begin like a PGM file (P2 or P5).
bool is_pgm(std::string_view bytes);

/// Reads a PGM image, plain (P2) or binary (P5).
/// @throws ParseError with the line, or without one inside binary data.
GrayImage parse_pgm(const std::string& bytes, const std::string& name);

}  // namespace amontons::io
