#pragma once

#include "amontons/geometry/shapes/height_field.h"

#include <string>

namespace amontons::io {

/// Reads a terrain from the bytes of a table of numbers or an image; the content decides which.
///
/// A table has one row of numbers per line, separated by commas, semicolons or blanks. The rows
/// follow each other along x, the numbers of a row along y. Empty lines are skipped, and everything
/// after a #. Numbers are heights in units of `height_scale`.
///
/// A gray PNG or PGM image (P2 or P5) of 8 or 16 bits shows the terrain from above, with x to the
/// right and y upwards. Black is height zero, the image's largest value is `height_scale`.
///
/// @param name            the file's name, for messages.
/// @param size_x, size_y  full extent [m], > 0.
/// @param height_scale    [m], finite.
/// @throws ParseError with the line for a malformed file, or for fewer than 2 x 2 heights.
/// @throws std::invalid_argument for a bad size or scale.
HeightField parse_height_map(const std::string& bytes, const std::string& name, double size_x,
                             double size_y, double height_scale = 1.0);

}  // namespace amontons::io
