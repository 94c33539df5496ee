#pragma once

#include "amontons/io/xml/xml_rules.h"

#include <vector>

namespace amontons::io {

/// Returns the rules of <mujoco>, by which MuJoCo extends a robot: <compiler>, <option> and <size>.
/// What acts in MuJoCo is applied, or is a finding.
std::vector<ElementRule> mujoco_rules();

}  // namespace amontons::io
