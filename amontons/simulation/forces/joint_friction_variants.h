#pragma once

#include "amontons/math/block_diagonal_factor.h"
#include "amontons/simulation/forces/free_motion.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

namespace amontons {

// Dry and viscous friction of joints in the forms published for robots without contact, for
// comparison: JointFriction::Explicit and JointFriction::BoxQp.

/// Adds -h (mu_v q' + mu_c sgn q') to the friction impulse (Explicit).
/// @param v  at the start of the step [nv].
void add_explicit_friction(const System& system, const Eigen::Ref<const Eigen::VectorXd>& v,
                           double h, FreeMotion& motion);

/// Solves the published joint friction [Drumwright, Shell 2010, sec. 5, QP4] on one articulation by
/// gradient projection, H its M with its servos. It adds the impulse x to the friction impulse and
/// its effect to v_free:
///
///   min 1/2 x'H^-1 x + x'v_free   subject to   |x_j| <= h (mu_c,j + mu_v,j |v_j|)
///
/// @param factor  factor of H.
/// @param v0      index of the articulation's first velocity.
/// @param v       at the start of the step [nv].
void add_box_friction(const System& system, const BlockDiagonalFactor& factor, Eigen::Index v0,
                      const Eigen::Ref<const Eigen::VectorXd>& v, double h, FreeMotion& motion);

}  // namespace amontons
