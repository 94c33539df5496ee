#pragma once

#include "amontons/io/xml/xml_rules.h"

namespace amontons::io {

/// What becomes of each element and attribute of an SDF file (http://sdformat.org/spec, versions
/// 1.4 to 1.9, and of later ones what bears on motion: cone, mimic, screw_thread_pitch).
const XmlFormat& sdf_format();

}  // namespace amontons::io
