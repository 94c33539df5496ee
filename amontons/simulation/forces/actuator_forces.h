#pragma once

#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/step_report.h"
#include "amontons/simulation/system/system.h"

#include <string>

namespace amontons {

/// Returns the force of an actuator, by its law at the end of a step, before its gear [N or N m].
/// Bounds of its force count, and so does `actuatorfrcrange` of its joint or tendon.
/// @param sensor  of the kind ActuatorForce, of a model.
/// @param at_end  kinematics at the end of the step.
double actuator_force(const System& system, const StepReport& report,
                      const SystemKinematics& at_end, const SystemSensor& sensor);

/// Returns the effort of all actuators along a joint of one coordinate or a tendon at the end of a
/// step [N m or N]: of servos, efforts and muscles along it, of the tendons that move the joint, of
/// actuators on sites, and as a program commands it.
/// @param joint  one of System::joints().
double actuator_effort(const System& system, const StepReport& report,
                       const SystemKinematics& at_end, const JointCoordinate& joint);

}  // namespace amontons
