#pragma once

#include "amontons/simulation/forces/free_motion.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

namespace amontons {

/// What efforts, wrenches, servos, springs and dampers give in a step, into those members of its
/// free motion: what is given over time by its mean, servos, springs and dampers implicitly, as an
/// impulse and a gain for the diagonal of M. Those along rows of J are bounded rows
/// (joint_rows.h), but for efforts.
/// @param q, time  at the start of the step.
void compute_drives(const System& system, const SystemKinematics& kinematics,
                    const Eigen::Ref<const Eigen::VectorXd>& q, double time, double h,
                    const FreeMotionOptions& options, FreeMotion& motion);

}  // namespace amontons
