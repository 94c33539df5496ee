#pragma once

#include "amontons/dynamics/motion_equation.h"

#include <Eigen/Core>

namespace amontons {

/// Gain over inertia that holds a coordinate, at a stop or by friction [-].
inline constexpr double kHoldingGain = 1e8;

/// Computes the velocity w [nv] at the end of a step of a tree on which forces act, together with
/// the inertial forces that belong to this motion:
///
///   (M + D) w = M v + p + f + I(w),     |f| <= b, opposing w where it slides,
///
/// where p are impulses, D gains of drives, f dry friction of the coordinates, and I(w) is
/// coupled_inertial_impulse(), which keeps the linear momentum and does no work that the change of
/// inertia does not explain.
///
/// It solves MotionEquation twice, the second time with the balance of the first; what is left is
/// of order h^4. Dry friction is -b w/|v|, an implicit damper that is the bound while the rate
/// stays v and holds what rests; where a solution exceeds the bound, it is the bound.
///
/// @param kinematics  at q, with inertias; its velocities are not read.
/// @param M           mass matrix at q [nv x nv], symmetric, without D.
/// @param work        in: `gain` is D, a diagonal, `given` is p and `friction` is b [nv]; out:
/// `end` is w.
/// @returns false where the equation has no solution, as where a force throws a link so fast that
/// its inertial forces exceed it within the step.
/// @throws std::domain_error if M + D is not positive definite.
bool driven_step(const Articulation& tree, const ArticulationKinematics& kinematics,
                 const Eigen::Ref<const Eigen::VectorXd>& q,
                 const Eigen::Ref<const Eigen::VectorXd>& v,
                 const Eigen::Ref<const Eigen::MatrixXd>& M, double h, InertialWorkspace& work);

}  // namespace amontons
