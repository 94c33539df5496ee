#pragma once

#include "amontons/math/solve_status.h"

#include <Eigen/Core>

namespace amontons {

/// Holds the angular velocity after a step, and the status of the equation that defines it.
struct GyroscopicStep {
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();  ///< w+ [rad/s]
  /// Names how the equation was solved. Converged: to 1e-13 |L|, or to the rounding of I_W w+.
  /// Safe: no solution was found, and velocity = I_W^-1 L. This keeps the energy and |L| but lets L
  /// turn; it is seen only beyond half a turn per step. NumericalFailure: the input is not finite
  /// or I_W is singular.
  SolveStatus status = SolveStatus::NotRun;
};

/// Computes the step of a torque-free body whose orientation turns by exp(h w+):
///
///   I_W w+ = exp(-h [w+]) L,    L = I_W w  (angular momentum about the center)
///
/// The momentum exp(h w+) I_W w+ at the new orientation then equals L exactly. The kinetic energy
/// changes by -1/2 |w+ - w|^2_I <= 0. A solution exists for every h: a fixed point of w -> I^-1
/// exp(-h [w]) L on a ball. Newton's method seeks it from the guess and, if that stalls, by
/// continuation from h = 0. Where there are several, each has both properties.
///
/// @param inertia_W   I_W at the start of the step [kg m^2], symmetric positive definite.
/// @param momentum_W  L, external torque impulses included [kg m^2/s].
/// @param h           step [s].
GyroscopicStep implicit_gyroscopic_step(const Eigen::Matrix3d& inertia_W,
                                        const Eigen::Vector3d& momentum_W,
                                        const Eigen::Vector3d& initial_guess, double h);

/// Returns the velocity of implicit_gyroscopic_step alone [rad/s].
Eigen::Vector3d implicit_gyroscopic_velocity(const Eigen::Matrix3d& inertia_W,
                                             const Eigen::Vector3d& momentum_W,
                                             const Eigen::Vector3d& initial_guess, double h);

}  // namespace amontons
