#pragma once

#include "amontons/simulation/scene/import_ledger.h"

#include <tinyxml2.h>

#include <string>

namespace amontons::io {

/// Mends the numbers of a robot and of all below it that other programs read although the format
/// has no such form. Each is a finding, but bounds that stand for none. What it does not know stays
/// as it is, an error of the table of the format.
///
/// - Commas between the three numbers of a vector, as in Bullet.
/// - A fourth number behind these, and more than one damping or friction: the first count.
/// - A limit that is infinite, or the largest number of a machine: there is none, as in Gazebo.
///
/// @param file  name of the file in messages.
void mend_urdf_numbers(tinyxml2::XMLElement& robot, const std::string& file, ImportLedger& ledger);

}  // namespace amontons::io
