#pragma once

#include "amontons/simulation/import_ledger.h"

#include <tinyxml2.h>

#include <string>

namespace amontons::io {

/// Place of an element or attribute; XML readers keep lines only.
SourceLocation place_of(const std::string& file, const tinyxml2::XMLNode& node);

/// "link 'base'", "joint 'elbow'", "<robot>": the element of the robot that holds `element`.
std::string describe(const tinyxml2::XMLElement& element);

/// Walks a URDF document: writes one ledger entry per element and attribute, checks every value
/// that is used, and returns the text of what is used alone, so that the reader behind sees nothing
/// that was ignored.
/// @throws ParseError at the element for a missing attribute, a value that is malformed or out of
/// range, or an element given twice.
std::string check_and_strip_urdf(const tinyxml2::XMLElement& robot, const std::string& file,
                                 ImportLedger& ledger);

}  // namespace amontons::io
