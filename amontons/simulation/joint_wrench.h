#pragma once

#include "amontons/simulation/sensors.h"
#include "amontons/simulation/system/step_report.h"
#include "amontons/simulation/system/system.h"

namespace amontons {

/// Returns the force on a link from its parent through the joint between them, a mean over a step,
/// and its torque about the joint's frame M, in W. Actuators, springs, dampers and friction of the
/// joint are part of it, the share of all loop joints is not. That of a free body is zero, to first
/// order in the step.
///
/// It is the balance of momentum of the link with all that it carries (recursive Newton-Euler), at
/// the configuration of the step's start, with the mean acceleration of the step. Along the joint
/// it agrees with joint_efforts() to first order in the step.
/// @param body  index into System::bodies(): the child of the joint, or one that fixed joints merge
/// with it.
/// @throws std::invalid_argument for a fixed body, and for reports as joint_efforts().
Wrench joint_wrench(const System& system, const StepReport& report, int body);

}  // namespace amontons
