#pragma once

#include "amontons/dynamics/articulation.h"
#include "amontons/dynamics/motion_equation.h"
#include "amontons/math/solve_status.h"

#include <Eigen/Core>

namespace amontons {

/// Computes the velocity after a step of a tree on which no force acts, v+ [nv], for positions that
/// move by q (+) h v+. First the inertial forces act at the mean velocity and at the configuration
/// q,
///
///   M(q) (x - v) + h C(q, u) u = 0,    u = (v + x)/2.
///
/// Then v+ = s x, with the factor s > 0 that keeps the kinetic energy, T(q (+) h v+, v+) = T(q, v).
/// On a free or planar root, s scales the motion relative to the center of mass, whose velocity is
/// kept exactly, too. The energy of a motion without forces therefore stays the same at any step.
/// Where M does not depend on the joint angles (axisymmetric rotors on a body), s is 1, and a
/// wobble keeps its amplitude, because the mean velocity makes the gyroscopic forces powerless. A
/// wobble of rate r appears slowed down to 2/h atan(h r/2).
///
/// Where the equation (dynamics/motion_equation.h) has no solution, the step is divided into equal
/// parts at the configuration q, 16 at most; 4096 for a single body, whose parts cost little:
/// needles turn by hundreds of radians in a step.
///
/// @param kinematics  at q, with inertias; its velocities are not read.
/// @param M           mass matrix at q [nv x nv], symmetric, without the gains of drives.
/// @param v_end       v+ [nv]; it must not overlap v.
/// @returns Converged; Safe where no part converges: the inertial forces are left out then, while
/// the energy is still kept.
/// @throws std::domain_error if M is not positive definite.
SolveStatus inertial_step(const Articulation& tree, const ArticulationKinematics& kinematics,
                          const Eigen::Ref<const Eigen::VectorXd>& q,
                          const Eigen::Ref<const Eigen::VectorXd>& v,
                          const Eigen::Ref<const Eigen::MatrixXd>& M, double h,
                          InertialWorkspace& work, Eigen::Ref<Eigen::VectorXd> v_end);

}  // namespace amontons
