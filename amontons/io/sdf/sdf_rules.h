#pragma once

#include "amontons/io/xml/xml_rules.h"

namespace amontons::io {

/// Returns the table of an SDF file: the fate of each element and attribute. It covers versions 1.4
/// to 1.9 (http://sdformat.org/spec), and those elements of later versions that affect motion:
/// cone, mimic, screw_thread_pitch.
const XmlFormat& sdf_format();

}  // namespace amontons::io
