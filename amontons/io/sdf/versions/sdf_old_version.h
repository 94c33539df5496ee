#pragma once

#include <tinyxml2.h>

#include <string_view>

namespace amontons::io {

/// Returns true for the versions 1.0 to 1.3, which differ from 1.4 in the same ways.
bool is_before_sdf_1_4(std::string_view version);

/// Makes a document of SDF 1.0 or 1.1 one of 1.2, except for the number of its version. Where 1.0
/// has attributes, 1.2 has elements. What is an element already stays one, since many files have a
/// number older than their content; 1.1 was never described. Every element keeps its line, and one
/// that was an attribute has that of the attribute. Documents of other versions, and those that are
/// no XML, are left as they are.
void convert_old_sdf(tinyxml2::XMLDocument& document);

}  // namespace amontons::io
