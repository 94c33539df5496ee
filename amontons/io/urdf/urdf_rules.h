#pragma once

#include "amontons/io/xml/xml_rules.h"

namespace amontons::io {

/// What becomes of each element and attribute of a URDF file.
const XmlFormat& urdf_format();

}  // namespace amontons::io
