#pragma once

#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <vector>

namespace amontons::experiments {

/// A motion between events, and what happened in it.
struct FrictionMotion {
  std::vector<Eigen::VectorXd> positions;  ///< q at t = 0, interval, 2 interval, ...
  int stops = 0, breakaways = 0;           ///< numbers of joints
};

/// The motion of one fixed-base articulation whose joints have dry and viscous friction (their
/// dynamics), integrated between events: fourth-order Runge-Kutta with `step` while each joint
/// sticks or slides one way; stops and breakaways by bisection on the step that reaches them. At an
/// event a linear complementarity problem in accelerations (friction_modes.h) tells which of the
/// joints at rest stick. Independent of the time stepper and its solvers.
/// @param interval  a multiple of step.
/// @throws std::runtime_error where events pile up at one instant.
FrictionMotion integrate_with_friction(const System& system, double duration, double step,
                                       double interval);

}  // namespace amontons::experiments
