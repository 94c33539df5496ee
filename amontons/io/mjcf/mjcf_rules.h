#pragma once

#include <string>
#include <string_view>

namespace amontons::io {

/// Says why an element of MJCF is left out, by its name and that of its parent. The result is "not
/// part of the format" if MuJoCo does not know it there, as far as is known here.
std::string_view reason_of_mjcf_element(const std::string& parent, const std::string& element);

/// Says why an attribute is left out though its element is not. Attributes that are applied where
/// they mean something are known too: they had no effect.
std::string_view reason_of_mjcf_attribute(const std::string& element, const std::string& attribute);

}  // namespace amontons::io
