#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

namespace amontons {

/// Returns the speed at which overlaps and open loops close unless the scene gives one [m/s]: ten
/// times the radius of the largest moving shape in a second, at most 3 m/s.
double default_overlap_speed(const System& system);

/// Limits what the step corrects, so that no point of a body gains more than about
/// problem.overlap_speed from it, however long the lever. It reads the whole problem, and sets
///
/// - problem.joint_correction, where errors Theta of rows of J are wide or rows depend on others.
///   The correction is J v_c of the velocity v_c of least kinetic energy that is nearest to -gamma
///   Theta/h in least squares, rows at unit length. Rows that depend on each other then agree. One
///   factor slows v_c of all bodies that rows of J connect, down to half of overlap_speed at their
///   fastest point: a body that is pulled off its center swings at up to twice that. Errors that
///   the motion at v itself makes in one step are not slowed, so that a fast linkage stays closed.
///   What limits do not allow gives way to what they allow (allowed_correction.h);
/// - opening_speed of contacts and limits, where overlaps would move a point of a body faster
///   (opening_limits.h).
///
/// Errors and overlaps that one step removes at less than these speeds are not changed.
/// @param start  kinematics at the start of the step.
void limit_corrections(const System& system, const SystemKinematics& start,
                       ContactProblem& problem);

/// Returns true if the correction of the joints' errors throws bodies. The velocity then has more
/// kinetic energy than those at the start and of the free motion, and moves a point faster than
/// these do, and than overlap_speed. Contacts that hold tangents (no slip) can turn a correction of
/// 1e-5 m into any speed, where rows of J nearly depend on theirs.
/// @param velocity  v at the end of the step [nv].
bool is_thrown_by_correction(const System& system, const SystemKinematics& start,
                             const ContactProblem& problem, const Eigen::VectorXd& velocity);

}  // namespace amontons
