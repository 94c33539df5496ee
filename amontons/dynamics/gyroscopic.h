#pragma once

#include "amontons/math/solve_status.h"

#include <Eigen/Core>

namespace amontons {

/// Angular velocity after a step, and whether it satisfies the equation.
struct GyroscopicStep {
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();  ///< w+ [rad/s]
  /// Converged: to 1e-13 |L|. Safe: no solution was found, velocity = I_W^-1 L, which keeps the
  /// energy and |L| but lets L turn; seen only beyond half a turn per step. NumericalFailure: the
  /// input is not finite or I_W is singular.
  SolveStatus status = SolveStatus::NotRun;
};

/// Step of a torque-free body whose orientation turns by exp(h w+):
///
///   I_W w+ = exp(-h [w+]) L,    L = I_W w  (angular momentum about the center, or a fixed pivot)
///
/// With it the momentum exp(h w+) I_W w+ at the new orientation equals L exactly, and the kinetic
/// energy changes by -1/2 |w+ - w|^2_I <= 0. A solution exists for every h (a fixed point of
/// w -> I^-1 exp(-h [w]) L on a ball); it is sought by Newton's method from the guess and, if that
/// stalls, by continuation from h = 0. Where there are several, any of them has both properties.
///
/// @param inertia_W   I_W at the start of the step [kg m^2], symmetric positive definite.
/// @param momentum_W  L, external torque impulses included [kg m^2/s].
/// @param h           step [s].
GyroscopicStep implicit_gyroscopic_step(const Eigen::Matrix3d& inertia_W,
                                        const Eigen::Vector3d& momentum_W,
                                        const Eigen::Vector3d& initial_guess, double h);

/// The velocity of implicit_gyroscopic_step alone [rad/s].
Eigen::Vector3d implicit_gyroscopic_velocity(const Eigen::Matrix3d& inertia_W,
                                             const Eigen::Vector3d& momentum_W,
                                             const Eigen::Vector3d& initial_guess, double h);

}  // namespace amontons
