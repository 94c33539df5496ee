#pragma once

#include "amontons/dynamics/forward_dynamics.h"
#include "amontons/math/block_diagonal_matrix.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <span>

namespace amontons {

/// What else decides a free motion.
struct FreeMotionOptions {
  std::span<const char> servo_rows;  ///< servos that are rows, not part of M; empty: none
  JointFriction friction = JointFriction::Coupled;  ///< how friction of joints is solved
};

/// The motion of one step without contacts and loop joints.
struct FreeMotion {
  /// M, plus the implicit parts of servos, springs and dampers: h kd + h^2 kp, h^2 k and h d.
  BlockDiagonalMatrix mass_matrix;
  Eigen::VectorXd velocity;           ///< v_free [nv]
  Eigen::VectorXd gravity_impulse;    ///< h times the generalized gravity force [nv]
  Eigen::VectorXd actuation_impulse;  ///< h (efforts, wrenches) [nv]
  /// What inertia gives: -h C(q, v) v, of a body alone its implicit gyroscopic term [nv].
  Eigen::VectorXd inertial_impulse;
  /// Servos that are part of M: impulse = servo_impulse - servo_gain . v+  (per coordinate).
  Eigen::VectorXd servo_impulse, servo_gain;
  /// Springs: impulse = spring_impulse - spring_gain . v+; dampers: -damper_gain . v+.
  Eigen::VectorXd spring_impulse, spring_gain, damper_gain;
  /// The part of actuation_impulse that wrenches and efforts along rows of J give [nv].
  Eigen::VectorXd wrench_impulse;

  /// What servos, efforts, springs and dampers give along each coordinate in a step that ends with
  /// v_end [nv].
  Eigen::VectorXd drive_impulse(const Eigen::VectorXd& v_end) const;
  Eigen::VectorXd friction_impulse;  ///< of joints, in the published forms, else zero [nv]

  DynamicsWorkspace work;  ///< memory of the trees' dynamics; nothing to read
};

/// v_free with gravity, Coriolis and gyroscopic forces, springs and dampers of the joints,
/// actuators and wrenches. What efforts and wrenches are given over time acts with its mean over
/// the step, so that no impulse is lost between the steps.
///
/// Springs and dampers are implicit, -k (q + h v+ - rest) - d v+, so that they are stable for any
/// step and never gain energy.
///
/// A body alone on a free or spherical joint gets its gyroscopic term implicitly
/// (dynamics/gyroscopic.h). A servo is implicit, tau = -kp (q + h v+ - target) - kd (v+ - rate);
/// its effort limit is a bounded row of the contact problem (joint_rows.h), of servos that exceed
/// it. Servos, springs and dampers along joints that are rows of J are bounded rows altogether.
///
/// Dampers are those of coupled friction; the published forms (joint_friction_variants.h) have
/// their viscous part themselves.
///
/// @param kinematics  at the configuration where M and the forces are evaluated.
/// @param q, v, time  at the start of the step.
/// @param motion      every member is filled; its memory is kept.
void compute_free_motion(const System& system, const SystemKinematics& kinematics,
                         const Eigen::Ref<const Eigen::VectorXd>& q,
                         const Eigen::Ref<const Eigen::VectorXd>& v, double time, double h,
                         const FreeMotionOptions& options, FreeMotion& motion);

}  // namespace amontons
