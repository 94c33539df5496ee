#pragma once

#include "amontons/io/xml/xml_rules.h"

namespace amontons::io {

/// Returns the table of a URDF file: the fate of each element and attribute.
const XmlFormat& urdf_format();

}  // namespace amontons::io
