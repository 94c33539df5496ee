#pragma once

#include "amontons/simulation/forces/free_motion.h"
#include "amontons/simulation/stepping/step_evaluation.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

namespace amontons {

/// Takes back couplings that have no effect. A tree that gained energy in an early pass of a step
/// (InertiaCoupling) may move in the last one as if it were not coupled, and keeps a w that means
/// nothing.
/// @param start       start of the step.
/// @param kinematics  kinematics there.
/// @param uncoupled   options of the step's free motion, without coupled trees.
/// @param velocity    free velocity with the coupling [nv].
/// @param coupled_velocity  w of the coupled trees [nv]; out: of idle ones that of their motion
/// without coupling.
void leave_idle_couplings(const System& system, const StepStart& start,
                          const SystemKinematics& kinematics, FreeMotionOptions uncoupled,
                          const Eigen::VectorXd& velocity, Eigen::VectorXd& coupled_velocity);

}  // namespace amontons
