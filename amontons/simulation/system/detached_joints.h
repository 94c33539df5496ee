#pragma once

#include "amontons/simulation/system/parked_bodies.h"
#include "amontons/simulation/system/system.h"

namespace amontons {

/// Returns true for a coordinate along a joint that is rows of J and detached.
/// @param loop  index into System::loop_coordinates(); below zero: none.
bool is_along_detached(const System& system, int loop);

/// Ends all that acts along the coordinates of detached joints: limits, friction, springs, servos,
/// efforts and muscles.
void end_detached_forces(const System& system, const JointForces& forces);

/// Checks that no other joint's coordinate depends on that of a joint that is rows of J.
/// @param loop_joint  index into System::loop_joints().
/// @throws std::invalid_argument  naming the coupling, motion or tendon: it cannot be detached.
void require_detachable(const System& system, int loop_joint);

}  // namespace amontons
