#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

namespace amontons {

/// Returns the rounding of each row's error Theta [nj] [m or rad]: 16 units in the last place of
/// what it is computed from. A length of a loop joint comes from coordinates in the world and from
/// levers, an angle from a rotation, and the error of a coupling or a prescribed motion from
/// coordinates of joints.
Eigen::VectorXd joint_error_rounding(const System& system, const SystemKinematics& kinematics);

/// Removes from problem.joint_error what is rounding and what no impulse could remove:
///
/// - the part of each loop joint's error that no motion can change. The rows of a joint may agree
///   on it no better;
/// - the disagreement of a row with the rows that it depends on (independent_joint_rows.h), where
///   it is at most their rounding. A row that depends on others by the factors a has the rounding
///   rho + |a| . rho: a screw of a small lead enlarges that of its nut.
///
/// What exceeds rounding stays, and is a contradiction of the loops.
void settle_joint_errors(const System& system, const SystemKinematics& kinematics,
                         ContactProblem& problem);

}  // namespace amontons
