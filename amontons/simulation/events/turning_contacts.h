#pragma once

#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/step_report.h"
#include "amontons/simulation/system/system.h"

namespace amontons {

/// Returns the time at which another part of a body first touches a shape on which the body already
/// rests or turns [s]; the length of the motion if none does. A rod that stands on its end and
/// falls over lands with its other end: the contacts of its end say nothing of that one, and the
/// search for impacts leaves out shapes that touch.
///
/// Looked at are pairs of convex shapes with contacts in the problem of a motion, of which a body
/// turns by more than a twentieth of a radian along its solution. If they overlap at the end by
/// more than a share of the smaller one beyond their overlap at the start, the instant is bisected.
/// @param state      at the start of the motion.
/// @param start      its kinematics.
/// @param tolerance  overlap at the instant found [m].
double time_of_turning_contact(const System& system, const State& state,
                               const SystemKinematics& start, const StepReport& report,
                               double tolerance);

}  // namespace amontons
