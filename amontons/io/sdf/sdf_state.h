#pragma once

#include "amontons/io/xml/xml_rules.h"

#include <optional>

namespace amontons::io {

/// Returns the fate of the <state> of a world, from which Gazebo classic starts. Models start here
/// where their <pose> says. A state that says the same is ignored. One that says something else is
/// unsupported: other poses or scales, velocities, inserted or deleted models.
std::optional<XmlFate> fate_of_state(const tinyxml2::XMLElement& state);

}  // namespace amontons::io
