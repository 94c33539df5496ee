#pragma once

#include <string>

namespace amontons::peers {

/// Returns a humanoid as an MJCF file: 30 links of one convex mesh each, a free pelvis and 29
/// hinges with limits, damping, dry friction and armature. It is 1.6 m tall, and no two links
/// overlap that no joint connects.
std::string humanoid_model();

}  // namespace amontons::peers
