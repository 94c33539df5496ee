#pragma once

#include "amontons/io/xml/xml_rules.h"

#include <vector>

namespace amontons::io {

/// Returns the rules of <gazebo>, by which Gazebo extends a robot, its links and its joints. What
/// acts in Gazebo is applied, or left out as a finding.
std::vector<ElementRule> gazebo_rules();

}  // namespace amontons::io
