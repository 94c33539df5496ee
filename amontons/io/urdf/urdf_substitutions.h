#pragma once

#include <tinyxml2.h>

#include <string>

namespace amontons::io {

/// Refuses numbers of a robot that xacro or roslaunch would have put in place of `$(arg NAME)` or
/// `${EXPRESSION}`. What the table of the format leaves out may have such texts.
/// @param file  name of the file in messages.
/// @throws ParseError  at the element, with the whole text. All such faults are reported at once.
void refuse_substitutions(const tinyxml2::XMLElement& robot, const std::string& file);

}  // namespace amontons::io
