#pragma once

#include "amontons/simulation/system/system.h"

namespace amontons {

/// Returns the index into System::loop_joints() of a joint that is rows of J; -1 for all others:
/// coordinates of trees, tendons, couplings and motions.
/// @param joint  one of System::joints().
int loop_joint_of(const System& system, const JointCoordinate& joint);

}  // namespace amontons
