#pragma once

#include <string>
#include <string_view>

namespace amontons::io {

/// Why an element of MJCF is left out, by its name; `parent` is the name of the one that holds it.
/// "not part of the format" if MuJoCo does not know it there, as far as is known here.
std::string_view reason_of_mjcf_element(const std::string& parent, const std::string& element);

/// Why an attribute is left out though its element is not. Attributes that are applied where they
/// mean something are known too: they say that they had no effect.
std::string_view reason_of_mjcf_attribute(const std::string& element, const std::string& attribute);

}  // namespace amontons::io
