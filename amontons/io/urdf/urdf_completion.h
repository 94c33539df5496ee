#pragma once

#include "amontons/simulation/scene/import_ledger.h"

#include <tinyxml2.h>

#include <string>

namespace amontons::io {

/// Adds to a robot what the format demands and other programs read it without. Each addition is a
/// finding.
///
/// - A joint may have the parent `world` without such a link, as in Drake: it is added.
/// - A revolute joint without <limit> is continuous, as in Bullet, Drake and MuJoCo.
/// - Products of inertia that are missing are zero, as in Bullet.
///
/// @param file  name of the file in messages.
void complete_urdf(tinyxml2::XMLElement& robot, const std::string& file, ImportLedger& ledger);

}  // namespace amontons::io
