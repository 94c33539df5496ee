#pragma once

#include "amontons/io/mjcf/actuators/mjcf_actuator_law.h"
#include "amontons/io/mjcf/mjcf_reader.h"

namespace amontons::io {

// Actuators that are wrenches on links: their force times the numbers of their gear.

/// Returns true for the link of a body that is joined rigidly to the world.
bool is_fixed_mjcf_link(const MjcfReader& reader, int link);

/// Adds the wrench of an actuator on a site, in the axes of the site.
void add_mjcf_site_wrench(MjcfReader& reader, const MjcfElement& element, const MjcfSignal& force);

/// Adds the torques of an actuator on a site and on its reference site, in the axes of the latter.
void add_mjcf_site_torques(MjcfReader& reader, const MjcfElement& element, const MjcfSignal& force);

/// Adds the wrenches of an actuator on a ball or free joint, with the reaction on the parent.
void add_mjcf_joint_wrench(MjcfReader& reader, const MjcfElement& element, const MjcfSignal& force);

}  // namespace amontons::io
