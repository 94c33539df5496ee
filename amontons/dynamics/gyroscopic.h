#pragma once

#include "amontons/math/spatial_inertia.h"

#include <Eigen/Core>

namespace amontons {

/// Angular velocity after a step of a torque-free body whose orientation turns by exp(h w+):
///
///   I_W w+ = exp(-h [w+]) L,    L = I_W w  (angular momentum about the center, or a fixed pivot)
///
/// With it the momentum exp(h w+) I_W w+ at the new orientation equals L exactly, and the kinetic
/// energy changes by -1/2 |w+ - w|^2_I <= 0. Solved by Newton's method from w.
///
/// @param inertia_W   I_W at the start of the step [kg m^2], positive definite.
/// @param momentum_W  L, external torque impulses included [kg m^2/s].
/// @param h           step [s].
/// @returns w+ [rad/s].
Eigen::Vector3d implicit_gyroscopic_velocity(const Eigen::Matrix3d& inertia_W,
                                             const Eigen::Vector3d& momentum_W,
                                             const Eigen::Vector3d& initial_guess, double h);

}  // namespace amontons
