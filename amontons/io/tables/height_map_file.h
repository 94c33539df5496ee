#pragma once

#include "amontons/geometry/shapes/height_field.h"

#include <string>

namespace amontons::io {

/// Reads a terrain from the bytes of a table of numbers or a PGM image, told apart by their
/// content.
///
/// Table: one row of numbers per line, separated by commas, semicolons or blanks; rows follow each
/// other along x, the numbers of a row along y. Empty lines and what follows a # are skipped.
/// Numbers are heights in units of `height_scale`.
///
/// PGM (P2 or P5, 8 or 16 bits): the image is the terrain seen from above, with x to the right and
/// y upwards. Black is height zero, the image's largest value is `height_scale`.
///
/// @param name            of the file, for messages.
/// @param size_x, size_y  full extent [m], > 0.
/// @param height_scale    [m], finite.
/// @throws ParseError with the line for what is malformed, or fewer than 2 x 2 heights.
/// @throws std::invalid_argument for a bad size or scale.
HeightField parse_height_map(const std::string& bytes, const std::string& name, double size_x,
                             double size_y, double height_scale = 1.0);

}  // namespace amontons::io
