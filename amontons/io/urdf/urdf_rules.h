#pragma once

#include "amontons/io/xml/xml_rules.h"

namespace amontons::io {

/// Returns the table of a URDF file: the fate of each element and attribute.
const XmlFormat& urdf_format();

/// Returns true for a <collision> whose shape has a size of zero: it is left out.
bool is_nothing_to_collide(const tinyxml2::XMLElement& collision);

}  // namespace amontons::io
