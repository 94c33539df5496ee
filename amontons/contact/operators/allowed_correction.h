#pragma once

#include "amontons/contact/contact_problem.h"

#include <Eigen/Core>

namespace amontons {

/// Turns the correction of loops, problem.joint_correction = J v_c, into one that limits of joints
/// allow, and contacts with them, if v_c passes limits and no velocity with the same J v_c keeps
/// them. A hand that is welded to a place out of its reach then comes as near as the limits of its
/// arm let it.
///
/// The result is the nearest to v_c, in the energy of M, of the velocities whose J v is nearest to
/// J v_c in least squares, rows at unit length, subject to
///
///   n_i v >= -gap_i/h of contacts and limits, 0 of overlaps, -s_i of passed limits
///
/// with the stabilized gap s: overlaps are not pressed, and limits are kept. The correction stays
/// where joints move as prescribed, where overlap_speed is infinite, and where nothing satisfies
/// the rows, as beside walls that close.
/// @param velocity  v_c [nv].
/// @return true if correction and velocity are other ones.
bool allow_correction(ContactProblem& problem, Eigen::VectorXd& velocity);

}  // namespace amontons
