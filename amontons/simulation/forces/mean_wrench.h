#pragma once

#include "amontons/math/pose.h"
#include "amontons/math/spatial_inertia.h"
#include "amontons/simulation/system/commands.h"

#include <vector>

namespace amontons {

/// Returns the rotation from the axes of a wrench to W.
/// @param X_WB  poses of all bodies.
Eigen::Matrix3d axes_of(const WrenchDrive& wrench, const std::vector<Pose>& X_WB);

/// Returns (torque, force) of a wrench on a body, its mean over [time, time + h], in W [N m, N].
/// @param R_WA  rotation of its axes at the start, as of axes_of().
Vector6d mean_wrench_W(const WrenchDrive& wrench, const Eigen::Matrix3d& R_WA, double time,
                       double h);

/// Returns the same at an instant [s].
Vector6d wrench_at_W(const WrenchDrive& wrench, const Eigen::Matrix3d& R_WA, double time);

}  // namespace amontons
