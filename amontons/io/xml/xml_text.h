#pragma once

#include <tinyxml2.h>

#include <string>

namespace amontons::io {

/// Text of a document that walk_xml has copied, with each element in the line of its original, so
/// that the lines which another reader reports are those of the file.
std::string text_with_lines(const tinyxml2::XMLDocument& used);

}  // namespace amontons::io
