#pragma once

#include <tinyxml2.h>

#include <string>

namespace amontons::io {

/// Checks the names of an SDF file, whose faults libsdformat reports without a line or only on the
/// console. It refuses two elements of one kind and name beside each other,
/// but for collisions and for models of a world. It refuses a joint that
/// names no link or frame of its model, and an unknown type of joint. It refuses an axis of length
/// zero, and a child joined to itself.
/// @throws ParseError at the element.
void check_sdf_names(const tinyxml2::XMLElement& sdf, const std::string& file);

}  // namespace amontons::io
