#pragma once

#include "amontons/dynamics/forward_dynamics.h"
#include "amontons/dynamics/motion_equation.h"
#include "amontons/math/block_diagonal_matrix.h"
#include "amontons/math/solve_status.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <span>
#include <vector>

namespace amontons {

/// Holds the motion of inertia of trees that rows of J connect, without that of the rows.
struct LinkedInertia {
  std::vector<char> trees;                      ///< true: part of such a linkage [articulations]
  Eigen::VectorXd velocity;                     ///< velocity after the motion [nv]
  Eigen::VectorXd impulse;                      ///< impulse of inertia [nv]
  SolveStatus status = SolveStatus::Converged;  ///< Safe: forces of a linkage are left out
};

/// Holds what couples the inertial forces of some trees to the end of their step.
struct CoupledInertia {
  /// Holds the velocity w at the end of the step to which inertial forces belong [nv]; zero for
  /// trees that are not coupled: their inertial forces are those of their motion without forces.
  Eigen::VectorXd velocity;
  /// Damps the motion of coupled trees relative to their centers of mass: with M_rel the inertia of
  /// that motion, their inertial impulse has the term -damping M_rel v+ [-].
  double damping = 0.0;
  /// Marks coupled trees that are not damped [articulations]; empty: all are. A step damps all that
  /// it couples; who repeats it also couples the trees whose end velocity was expected.
  std::vector<char> undamped = {};

  /// Returns true if the n velocities from v0 on belong to a coupled tree.
  bool has(Eigen::Index v0, Eigen::Index n) const {
    return velocity.size() > 0 && !velocity.segment(v0, n).isZero(0.0);
  }
  /// Returns true if a tree with the n velocities from v0 on is damped.
  bool damps(std::size_t tree, Eigen::Index v0, Eigen::Index n) const {
    return damping > 0.0 && has(v0, n) && (undamped.empty() || !undamped[tree]);
  }
};

/// Holds impulses of the last step that are expected again, in proportion to the length of this one
/// [nv].
struct LastImpulses {
  Eigen::VectorXd contacts;  ///< of contacts that last
  Eigen::VectorXd stops;     ///< of position limits, positive where they raise the coordinate
};

/// Holds the options of a free motion.
struct FreeMotionOptions {
  std::span<const char> servo_rows;  ///< servos that are rows, not part of M; empty: none
  JointFriction friction = JointFriction::Coupled;  ///< method for the friction of joints
  const LinkedInertia* linked = nullptr;            ///< motion of linkages; null: there are none
  /// Marks trees whose motion is that of the last call, so that it stays [articulations]; empty:
  /// none.
  std::span<const char> kept = {};
  const CoupledInertia* coupled = nullptr;  ///< coupled trees; null: there are none
  /// Impulses that are expected again. With them, trees that no row of J connects, but single
  /// bodies, are coupled to the motion that their forces and these impulses give; null: they are
  /// not.
  const LastImpulses* expected = nullptr;
};

/// Holds the motion of one step without contacts and loop joints.
struct FreeMotion {
  /// Holds M plus the implicit parts of servos, springs and dampers: h kd + h^2 kp, h^2 k and h d;
  /// and those of inertial_damping.
  BlockDiagonalMatrix mass_matrix;
  Eigen::VectorXd velocity;           ///< v_free [nv]
  Eigen::VectorXd gravity_impulse;    ///< h times the generalized gravity force [nv]
  Eigen::VectorXd actuation_impulse;  ///< h (efforts, muscles, wrenches) [nv]
  /// Holds the impulse of inertia [nv]: M (v+ - v) of the motion without forces
  /// (dynamics/inertial_step.h); for a single body its implicit gyroscopic term. Trees that rows of
  /// J connect have that of their linkage, coupled trees that of dynamics/coupled_inertia.h.
  Eigen::VectorXd inertial_impulse;
  /// Holds the velocity w to which the inertial forces of coupled trees belong [nv]: the given one,
  /// or that of dynamics/driven_step.h; zero for trees that are not coupled.
  Eigen::VectorXd coupled_velocity;
  /// Holds what contacts and bounded rows but stops are expected to give: impulses of contacts and
  /// of servos at their limits, gains of other servos, and bounds h mu of dry friction [nv].
  Eigen::VectorXd expected_impulse, expected_gain, expected_friction;
  /// Holds damping M_rel of coupled trees that are damped, by tree [articulations]; no entries in
  /// those of other trees, empty: none is damped.
  std::vector<Eigen::MatrixXd> inertial_damping;
  /// Holds the velocity after the motion of inertia alone, rows of J included [nv]; v for coupled
  /// trees, which have no such motion.
  Eigen::VectorXd inertial_velocity;
  /// Lists the trees whose equation of inertia has no solution, so that its forces are left out.
  std::vector<std::size_t> trees_without_inertia;
  /// Is the status of that equation for trees that rows of J connect.
  SolveStatus linked_inertia_status = SolveStatus::Converged;
  /// Names why an integrator could not move some tree between events (simulation/smooth); that tree
  /// then moves as in time stepping. Converged: no tree does.
  SolveStatus integration_status = SolveStatus::Converged;
  /// Servos in M have the impulse servo_impulse - servo_gain . v+  (per coordinate).
  Eigen::VectorXd servo_impulse, servo_gain;
  /// Springs have the impulse spring_impulse - spring_gain . v+; dampers: -damper_gain . v+.
  Eigen::VectorXd spring_impulse, spring_gain, damper_gain;
  /// Holds the part of actuation_impulse from wrenches, and along rows of J and tendons [nv].
  Eigen::VectorXd wrench_impulse;

  /// Returns the worst status of the equations of inertia; Safe: forces are left out.
  SolveStatus inertial_status() const {
    return trees_without_inertia.empty() ? linked_inertia_status : SolveStatus::Safe;
  }
  /// Writes the impulse of servos, efforts, springs and dampers along each coordinate in a step
  /// that ends with v_end [nv]; the memory of `result` is kept.
  void drive_impulse(const Eigen::VectorXd& v_end, Eigen::VectorXd& result) const;
  /// Returns the part of the inertial impulse that follows v_end: -damping M_rel v_end [nv].
  Eigen::VectorXd inertial_damping_impulse(const Eigen::VectorXd& v_end) const;
  Eigen::VectorXd friction_impulse;  ///< joint friction in the published forms, else zero [nv]

  DynamicsWorkspace work;           ///< workspace of the trees' dynamics
  InertialWorkspace inertial_work;  ///< workspace of the trees' motion without forces
};

/// Returns true if a tree is a single free body, which takes an implicit gyroscopic step.
inline bool is_free_body(const Articulation& tree) {
  return tree.num_links() == 1 && tree.links()[0].joint == JointType::Free;
}

/// Returns true if a tree is a single body on a free or planar root. It has no inertial forces but
/// gyroscopic ones and those of a center of mass beside its origin.
inline bool is_single_body(const Articulation& tree) {
  return is_free_body(tree) ||
         (tree.num_links() == 1 && tree.links()[0].joint == JointType::Planar);
}

/// Computes v_free with gravity, Coriolis and gyroscopic forces, springs and dampers of the joints,
/// actuators and wrenches. Tables of efforts and wrenches act by their mean over the step, so that
/// no impulse is lost between steps.
///
/// Springs and dampers are implicit, -k (q + h v+ - rest) - d v+. They are therefore stable for any
/// step and never gain energy. A servo is implicit, too: tau = -kp (q + h v+ - target) - kd (v+ -
/// rate). Servos that exceed their effort limit are bounded rows of the contact problem
/// (joint_rows.h). Along joints that are rows of J all servos, springs and dampers are bounded
/// rows. A single free body has an implicit gyroscopic term
/// (dynamics/gyroscopic.h). The inertial forces of a tree act first, without any other force; they
/// are implicit and keep its kinetic energy (dynamics/inertial_step.h). Those of coupled trees
/// belong to the motion with all forces and impulses (dynamics/coupled_inertia.h).
///
/// Dampers here belong to coupled friction. The published forms contain viscous friction themselves
/// (joint_friction_variants.h).
///
/// @param kinematics  at the configuration where M and the forces are evaluated.
/// @param q, v, time  at the start of the step.
/// @param motion      every member is filled; its memory is reused. It is that of the last call
/// where the options keep trees.
void compute_free_motion(const System& system, const SystemKinematics& kinematics,
                         const Eigen::Ref<const Eigen::VectorXd>& q,
                         const Eigen::Ref<const Eigen::VectorXd>& v, double time, double h,
                         const FreeMotionOptions& options, FreeMotion& motion);

}  // namespace amontons
