#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

namespace amontons {

/// Limits how fast each overlap and each passed limit opens (opening_speed of contacts and bounded
/// rows), where opening them all would move a point of a body faster than problem.overlap_speed:
/// where one step cannot remove an overlap, where an overlap alone would, and in mechanisms.
///
/// One motion gives the speeds of all, so that a velocity exists at which all overlaps open as
/// asked, no loop opens and nothing else is pressed together. Each overlap pushes until it opens at
/// the speed asked, but with no more than the impulse that alone moves a point of a body at
/// overlap_speed: a normal that passes near an axle opens little, however hard it is pushed. Where
/// pushes oppose each other, they only keep what they have. The motion is that of least kinetic
/// energy under these pushes, besides the correction v_J of loops:
///
///   min 1/2 v'M v + sum push_i max(0, wanted_i - n_i (v_J + v)),
///   n_i (v_J + v) >= min(0, -gap_i/h),  J v = 0
///
/// One factor then slows it for all bodies that contacts, limits and loops connect, until the
/// fastest point of v_J + v has overlap_speed. Where v_J contradicts contacts or limits, loops of
/// bodies with blocked overlaps stay open.
///
/// Pushes elsewhere may hold an overlap: a foot turns about its heel while its toes are pushed out.
/// Where the motion opens an overlap at less than a hundredth of the speed asked, a velocity is
/// added that opens it and closes nothing: the projection of n_i on such velocities, at a hundredth
/// of overlap_speed. If there is none, or it would open less than a hundredth of the speed asked at
/// overlap_speed, the overlap is blocked: nothing that joints allow parts these bodies
/// (opening_speed 0).
///
/// Overlaps that move nothing faster than overlap_speed are not changed.
/// @param start          kinematics at the start of the step.
/// @param loop_velocity  v_J [nv], the velocity that makes problem.joint_correction; empty: none.
void limit_openings(const System& system, const SystemKinematics& start,
                    const Eigen::VectorXd& loop_velocity, ContactProblem& problem);

}  // namespace amontons
