#pragma once

#include "amontons/contact/contact_problem.h"

#include <Eigen/Core>

namespace amontons {

/// Returns the contact velocities at which bodies come together [3 nc] [m/s], from which
/// restitution follows: J_C v + bias, v at the start of the step.
///
/// At an impact (h = 0) the rows of J have their rates of that instant. The motion that led there
/// ended with mean rates. For a prescribed motion they differ by half its acceleration times the
/// length of that motion. A contact that approaches has the normal velocity to which the rows alone
/// bring it: that of v + M^-1 J'c with J (v + M^-1 J'c) = -joint_bias. A contact that does not
/// approach above rest_speed keeps that of v, because its bodies have moved together at the mean
/// rates.
/// @param u  J_C v + bias [3 nc] [m/s].
Eigen::VectorXd arrival_velocity(const ContactProblem& problem, Eigen::VectorXd u);

}  // namespace amontons
