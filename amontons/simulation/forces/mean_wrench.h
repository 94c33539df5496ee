#pragma once

#include "amontons/math/pose.h"
#include "amontons/math/spatial_inertia.h"
#include "amontons/simulation/system/commands.h"

namespace amontons {

/// Returns (torque, force) of a wrench on a body, its mean over [time, time + h], in W [N m, N].
/// @param X_WB  pose of the body at the start.
Vector6d mean_wrench_W(const WrenchDrive& wrench, const Pose& X_WB, double time, double h);

/// Returns the same at an instant [s].
Vector6d wrench_at_W(const WrenchDrive& wrench, const Pose& X_WB, double time);

}  // namespace amontons
