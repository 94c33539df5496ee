#pragma once

#include <tinyxml2.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

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

/// Returns the numbers of a text that blanks separate; a word that is none counts as 0.
std::vector<double> numbers_in(std::string_view text);

/// Removes the blanks at the ends of the names and kinds that the attributes of an element give,
/// and of those inside it, so that names and their uses agree.
void trim_names(tinyxml2::XMLElement& element);

/// Converts an XML text to UTF-8 if its declaration says that it is ISO-8859-1. A text that is
/// UTF-8 in spite of its declaration stays as it is.
std::string as_utf8(const std::string& text);

}  // namespace amontons::io
