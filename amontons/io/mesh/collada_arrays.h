#pragma once

#include <string>

namespace tinyxml2 {
class XMLElement;
}

namespace amontons::io {

/// Refuses a Collada file whose positions and indices are not what it says of them, from which
/// assimp makes another shape without a word:
/// - positions that are no numbers, or not as many as their array's `count`,
/// - accessors of positions with fewer than three parameters, or a `stride` below their number,
/// - indices that are no integers, below 0 or beyond the positions, or not as many as the
/// primitive's
///   `count` or <vcount> ask for,
/// - a <unit> that is no positive number.
/// @throws ParseError with the file and the line of the element.
void check_collada_arrays(const tinyxml2::XMLElement& root, const std::string& file);

}  // namespace amontons::io
