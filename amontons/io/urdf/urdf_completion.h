#pragma once

#include "amontons/simulation/scene/import_ledger.h"

#include <tinyxml2.h>

#include <string>

namespace amontons::io {

// Effort and velocity of a limit that does not bound them, and ends of one that bounds nothing.
inline constexpr double kNoUrdfLimit = 1e100;

// Name of the root link that is the world.
inline constexpr const char* kUrdfWorld = "world";

/// Adds to a robot what the format demands and other programs read it without. Each addition is a
/// finding.
///
/// - A robot may be without a name.
/// - A joint may have the parent `world` without such a link, as in Drake: it is added.
/// - A revolute joint without <limit> is continuous, and a prismatic one slides without limits, as
///   in Bullet, Drake and MuJoCo.
/// - A <limit> without effort or velocity does not bound it, as in Drake and MuJoCo, nor does a
///   negative one, as in MuJoCo.
/// - Products of inertia that are missing are zero, as in Bullet.
///
/// Numbers are mended as mend_urdf_numbers() says.
/// Blanks at the ends of names do not count.
/// The <axis> of a fixed or floating joint may have no direction, which changes nothing.
/// Drake's <drake:capsule> and <drake:ellipsoid> get their names without the prefix.
///
/// @param file  name of the file in messages.
void complete_urdf(tinyxml2::XMLElement& robot, const std::string& file, ImportLedger& ledger);

}  // namespace amontons::io
