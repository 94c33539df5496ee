#pragma once

#include "amontons/simulation/system.h"

#include <Eigen/Core>

#include <vector>

namespace amontons::experiments {

/// q at t = 0, interval, 2 interval, ... of one fixed-base articulation whose joints have dry and
/// viscous friction (their dynamics), integrated between events: fourth-order Runge-Kutta with
/// `step` while each joint sticks or slides one way; stops and breakaways by bisection. At rest a
/// joint sticks as far as friction within its bound keeps its acceleration zero (a box QP in
/// accelerations). Independent of the time stepper and its friction.
/// @param interval  a multiple of step.
std::vector<Eigen::VectorXd> integrate_with_friction(const System& system, double duration,
                                                     double step, double interval);

}  // namespace amontons::experiments
