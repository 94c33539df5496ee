#pragma once

#include "amontons/io/xml/xml_rules.h"
#include "amontons/simulation/scene/source_location.h"

#include <string>

namespace amontons::io {

/// Checks a value of an XML file.
/// @param what  names it in the error, e.g. "link 'a': value of <mass>".
/// @returns it without the blanks around and between its parts, which readers behind do not take.
/// @throws ParseError for a value that is malformed, not finite, beyond 1e100 or out of range.
std::string check_value(const std::string& text, XmlValue kind, const std::string& what,
                        const SourceLocation& where);

}  // namespace amontons::io
