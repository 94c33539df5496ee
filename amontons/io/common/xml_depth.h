#pragma once

#include <cstddef>
#include <string_view>

namespace amontons::io {

/// Returns the largest depth of nested elements in a text of XML, in one pass and without memory.
/// Comments, CDATA sections and instructions have no elements. A text that is no XML has a depth of
/// no meaning, but at least that at which any reader of it nests.
std::size_t xml_depth(std::string_view text);

}  // namespace amontons::io
