#pragma once

#include "amontons/math/block_diagonal_factor.h"
#include "amontons/simulation/forces/free_motion.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

namespace amontons {

/// Dry and viscous friction of joints in the forms that were published for robots without contact,
/// to compare with: JointFriction::Explicit and JointFriction::BoxQp.

/// Explicit: -h (mu_v q' + mu_c sgn q') into the friction impulse.
/// @param v  at the start of the step [nv].
void add_explicit_friction(const System& system, const Eigen::Ref<const Eigen::VectorXd>& v,
                           double h, FreeMotion& motion);

/// The published joint friction [Drumwright, Shell 2010, sec. 5, QP4] on one articulation, H its M
/// with its servos, by gradient projection; v_free takes its impulse x along:
///
///   min 1/2 x'H^-1 x + x'v_free   subject to   |x_j| <= h (mu_c,j + mu_v,j |v_j|)
///
/// @param factor  of H.
/// @param v0      where the articulation's velocities begin.
/// @param v       at the start of the step [nv].
void add_box_friction(const System& system, const BlockDiagonalFactor& factor, Eigen::Index v0,
                      const Eigen::Ref<const Eigen::VectorXd>& v, double h, FreeMotion& motion);

}  // namespace amontons
