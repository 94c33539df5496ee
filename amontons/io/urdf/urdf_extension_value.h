#pragma once

#include <tinyxml2.h>

#include <optional>
#include <string>

namespace amontons::io {

/// Returns the value of an element that other programs add to the format: that of its attribute
/// `value`, else its text, without blanks at the ends.
std::string extension_text(const tinyxml2::XMLElement& element);

/// Returns that value as a number; nothing where it is none.
std::optional<double> extension_number(const tinyxml2::XMLElement& element);

/// Returns true for the values `true`, `yes` and `1`, in small or capital letters.
bool is_extension_true(const tinyxml2::XMLElement& element);

/// Returns true for the values `false`, `no` and `0`, in small or capital letters.
bool is_extension_false(const tinyxml2::XMLElement& element);

/// Returns the element of a kind and name below <robot>, or null.
const tinyxml2::XMLElement* find_in_robot(const tinyxml2::XMLElement& robot, const char* kind,
                                          const std::string& name);

}  // namespace amontons::io
