#pragma once

#include "amontons/io/xml/xml_rules.h"

#include <vector>

namespace amontons::io {

/// Returns the rules of <contact> of a link, by which Bullet extends the format. Friction and
/// restitution are applied; what else acts in Bullet is a finding.
std::vector<ElementRule> contact_rules();

}  // namespace amontons::io
