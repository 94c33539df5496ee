#pragma once

#include <tinyxml2.h>

#include <string>

namespace amontons::io {

/// Checks the names of an SDF file, which libsdformat reports without a line or only on the
/// console: two elements of one kind and name beside each other, a joint that names no link or
/// frame of its model, an unknown type of joint, an axis of length zero, a child on itself.
/// @throws ParseError at the element.
void check_sdf_names(const tinyxml2::XMLElement& sdf, const std::string& file);

}  // namespace amontons::io
