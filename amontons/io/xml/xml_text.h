#pragma once

#include <tinyxml2.h>

#include <functional>
#include <string>
#include <string_view>

namespace amontons::io {

/// Returns the text of a document that walk_xml has copied, with each element in the line of its
/// original. The lines that another reader reports are then those of the file.
std::string text_with_lines(const tinyxml2::XMLDocument& used);

/// Returns the text of a document with each element in a line that a function gives, or in the line
/// that the elements before have reached.
std::string text_with_lines(const tinyxml2::XMLDocument& document,
                            const std::function<int(const tinyxml2::XMLElement&)>& line_of);

/// Returns the text of an element as it stands; empty where it has none.
std::string_view text_of(const tinyxml2::XMLElement& element);

/// Returns the text of an element without blanks at its ends; empty where it has none, or where
/// there is no element.
std::string trimmed_text(const tinyxml2::XMLElement* element);

}  // namespace amontons::io
