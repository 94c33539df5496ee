#include "amontons/simulation/forces/free_motion.h"

#include "amontons/dynamics/gyroscopic.h"
#include "amontons/dynamics/linear_momentum.h"
#include "amontons/math/block_diagonal_factor.h"
#include "amontons/math/rotation.h"
#include "amontons/math/stop.h"
#include "amontons/math/tree_factor.h"
#include "amontons/simulation/forces/drives.h"
#include "amontons/simulation/forces/joint_friction_variants.h"
#include "amontons/simulation/forces/tree_inertia.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace amontons {
namespace {

/// Holds a velocity without contact, that of inertia alone, and the impulse of inertia.
struct InertialMotion {
  Vector6d velocity, inertial_velocity, impulse;
  SolveStatus status = SolveStatus::NotRun;
};

/// Returns the impulse that turns the momentum L into that of the implicit gyroscopic step ending
/// with w.
Eigen::Vector3d gyroscopic_impulse(const Eigen::Vector3d& L, const Eigen::Vector3d& w, double h) {
  return rotation_from_vector(-h * w) * L - L;
}

/// Returns the motion of a single body on a free joint. Momentum is balanced about its center, so
/// that both momenta are exact at the new orientation.
InertialMotion free_body_motion(const Link& link, const ArticulationKinematics& kinematics,
                                const Eigen::Ref<const Eigen::VectorXd>& v,
                                const Eigen::Ref<const Eigen::VectorXd>& impulse, double h) {
  // v and impulses are in the axes of the joint's frame F, so everything is.
  const Eigen::Matrix3d R_FB = link.X_PF.rotation.transpose() * kinematics.X_WB[0].rotation;
  const double m = link.inertia.mass;
  const Eigen::Vector3d p_MB_B = link.X_MB.rotation.transpose() * link.X_MB.translation;
  const Eigen::Vector3d c = R_FB * (p_MB_B + link.inertia.center_of_mass);
  const Eigen::Matrix3d I = R_FB * link.inertia.inertia * R_FB.transpose();
  const Eigen::Vector3d w = v.head<3>();
  const Eigen::Vector3d torque_impulse = impulse.head<3>() - c.cross(impulse.tail<3>());
  // Angular momentum about the center of mass decouples from the linear one.
  const GyroscopicStep step = implicit_gyroscopic_step(I, I * w + torque_impulse, w, h);
  const Eigen::Vector3d& w_next = step.velocity;
  const Eigen::Vector3d v_center = v.tail<3>() + w.cross(c) + impulse.tail<3>() / m;
  // The origin moves so that the center keeps its velocity while the body turns by h w+. A center
  // at the origin stays there.
  const auto turned = [&](const Eigen::Vector3d& velocity) -> Eigen::Vector3d {
    return c.isZero(0.0) ? c : Eigen::Vector3d(rotation_from_vector(h * velocity) * c);
  };
  const Eigen::Vector3d c_next = turned(w_next);
  // Linear impulse of inertia at the origin at the start of the step, to which M refers.
  const Eigen::Vector3d inertial = m * w_next.cross(c - c_next);
  InertialMotion result;
  result.status = step.status;
  result.velocity << w_next, v_center - w_next.cross(c_next);
  // The same without other impulses.
  const Eigen::Vector3d w_inertial =
      torque_impulse.isZero(0.0) ? w_next : implicit_gyroscopic_velocity(I, I * w, w, h);
  result.inertial_velocity << w_inertial,
      v.tail<3>() + w.cross(c) - w_inertial.cross(turned(w_inertial));
  result.impulse << gyroscopic_impulse(I * w + torque_impulse, w_next, h) + c.cross(inertial),
      inertial;
  return result;
}

/// Returns the same for a ball or cube on a free joint at its center, which nothing turns aside:
/// its momenta are those of a constant velocity.
InertialMotion central_body_motion(const Link& link, const Eigen::Ref<const Eigen::VectorXd>& v,
                                   const Eigen::Ref<const Eigen::VectorXd>& impulse) {
  InertialMotion result;
  result.status = SolveStatus::Converged;
  result.inertial_velocity = v;
  result.velocity << v.head<3>() + impulse.head<3>() / link.inertia.inertia(0, 0),
      v.tail<3>() + impulse.tail<3>() / link.inertia.mass;
  result.impulse.setZero();
  return result;
}

/// Returns true where a body's inertia is the same about every axis through its origin, which is
/// its center and that of its joint.
bool is_central(const Link& link) {
  return link.inertia.center_of_mass.isZero(0.0) && link.X_MB.translation.isZero(0.0) &&
         is_isotropic(link.inertia.inertia);
}

/// Returns true if dampers or friction of its joint act on a single free body, whose velocities
/// begin at v0.
bool has_joint_friction(const System& system, Eigen::Index v0, const FreeMotionOptions& options,
                        const FreeMotion& motion) {
  if (options.friction != JointFriction::BoxQp) {
    return !motion.damper_gain.segment<6>(v0).isZero(0.0) ||
           !motion.friction_impulse.segment<6>(v0).isZero(0.0);
  }
  const std::vector<CoordinateDynamics>& coordinates = system.coordinate_dynamics();
  return std::any_of(coordinates.begin(), coordinates.end(), [v0](const CoordinateDynamics& own) {
    return own.v_index >= v0 && own.v_index < v0 + 6 &&
           (own.dynamics.coulomb_friction > 0.0 || own.dynamics.viscous_friction > 0.0);
  });
}

/// Returns the block of M of a tree, of zeros: that of the last call, or a new one where the matrix
/// has been cleared. Damping relative to the center of mass connects all branches of a tree.
Eigen::Map<Eigen::MatrixXd> zero_block(const Articulation& tree, std::size_t articulation,
                                       bool is_damped, BlockDiagonalMatrix& mass_matrix) {
  if (articulation == mass_matrix.num_blocks()) {
    const std::span<const int> branches = tree.dof_parents();
    return mass_matrix.add_zero_block(tree.num_velocities(),
                                      is_damped ? std::span<const int>() : branches);
  }
  Eigen::Map<Eigen::MatrixXd> block = mass_matrix.mutable_block(articulation);
  block.setZero();
  return block;
}

/// Computes the free motion of a tree whose velocities begin at v0: Coriolis forces that keep the
/// energy, then implicit servos, springs and dampers.
/// @param place      index of the tree.
/// @param q          positions of the tree, to which `at` belongs.
/// @param is_linked  true: the motion has the inertial impulse of the tree's linkage already.
/// @param M          its mass matrix, to which gains are added.
void compute_tree_motion(const System& system, std::size_t place, const ArticulationKinematics& at,
                         const Eigen::Ref<const Eigen::VectorXd>& q,
                         const Eigen::Ref<const Eigen::VectorXd>& v, Eigen::Index v0, double h,
                         bool is_linked, const FreeMotionOptions& options,
                         Eigen::Map<Eigen::MatrixXd> M, FreeMotion& motion) {
  const Articulation& tree = system.articulations()[place];
  const Eigen::Index n = tree.num_velocities();
  auto velocity = motion.velocity.segment(v0, n);
  const auto v_tree = v.segment(v0, n);
  const auto impulse = motion.gravity_impulse.segment(v0, n) +
                       motion.actuation_impulse.segment(v0, n) +
                       motion.spring_impulse.segment(v0, n);
  const auto gain = motion.spring_gain.segment(v0, n) + motion.damper_gain.segment(v0, n);
  // Right-hand side M v + impulses, that of inertia from its motion alone.
  DynamicsWorkspace& work = motion.work;
  if (!is_linked) compute_tree_inertia(tree, at, place, q, v_tree, v0, h, options, M, motion);
  velocity.noalias() = M * v_tree;
  velocity += impulse;
  velocity += motion.inertial_impulse.segment(v0, n);
  velocity += motion.servo_impulse.segment(v0, n) + motion.friction_impulse.segment(v0, n);
  if (options.coupled && options.coupled->damps(place, v0, n)) {
    motion.inertial_damping.resize(system.articulations().size());
    motion.inertial_damping[place] = options.coupled->damping * relative_inertia(tree, M);
    M += motion.inertial_damping[place];
  }
  // v_free = (M + h d + h^2 k)^-1 (M v + impulses), by the factor along the tree's branches.
  M.diagonal() += gain + motion.servo_gain.segment(v0, n);
  work.factor = M;
  const TreeParents parents{motion.mass_matrix.block(place).parents};
  const int bad = factor_tree(work.factor, parents);
  if (bad >= 0) {
    throw std::domain_error("mass matrix of '" + tree.links()[0].name +
                            "' is not positive definite (row " + std::to_string(bad) + ")");
  }
  solve_transposed_tree(work.factor, parents, velocity);
  solve_tree(work.factor, parents, velocity);
  // Published friction acts after all other forces, on the same matrix.
  if (options.friction == JointFriction::BoxQp) {
    BlockDiagonalMatrix block;
    block.add_block(M, {parents.parents.begin(), parents.parents.end()});
    add_box_friction(system, BlockDiagonalFactor(block), v0, v, h, motion);
  }
}

}  // namespace

Eigen::VectorXd FreeMotion::inertial_damping_impulse(const Eigen::VectorXd& v_end) const {
  Eigen::VectorXd result = Eigen::VectorXd::Zero(v_end.size());
  for (std::size_t a = 0; a < inertial_damping.size(); ++a) {
    if (inertial_damping[a].size() == 0) continue;
    const auto own = Eigen::seqN(mass_matrix.block(a).offset, inertial_damping[a].rows());
    result(own) = -inertial_damping[a] * v_end(own);
  }
  return result;
}

void FreeMotion::drive_impulse(const Eigen::VectorXd& v_end, Eigen::VectorXd& result) const {
  result = actuation_impulse - wrench_impulse + servo_impulse + spring_impulse -
           (servo_gain + spring_gain + damper_gain).cwiseProduct(v_end);
}

void compute_free_motion(const System& system, const SystemKinematics& kinematics,
                         const Eigen::Ref<const Eigen::VectorXd>& q,
                         const Eigen::Ref<const Eigen::VectorXd>& v, double time, double h,
                         const FreeMotionOptions& options, FreeMotion& motion) {
  const Eigen::Index nv = system.num_velocities();
  // Memory of the last step is reused, and what it holds of trees that are kept.
  if (options.kept.empty()) motion.mass_matrix.clear();
  motion.inertial_damping.clear();
  motion.velocity.resize(nv);
  motion.gravity_impulse.resize(nv);
  motion.inertial_impulse.resize(nv);
  motion.inertial_velocity.resize(nv);
  motion.coupled_velocity.resize(nv);
  motion.integration_status = SolveStatus::Converged;
  motion.trees_without_inertia.clear();
  motion.linked_inertia_status = options.linked ? options.linked->status : SolveStatus::Converged;
  // Impulses of the whole system first, then tree by tree.
  compute_drives(system, kinematics, q, v, time, h, options, motion);
  if (options.expected != nullptr) expect_rows(system, q, v, time, h, options, motion);
  motion.friction_impulse.setZero(nv);
  if (options.friction == JointFriction::Explicit) add_explicit_friction(system, v, h, motion);

  constexpr std::size_t kPolled = 1024;  // trees
  for (std::size_t a = 0; a < system.articulations().size(); ++a) {
    if (a % kPolled == 0) check_stop();
    if (is_marked(options.kept, a)) continue;
    const Articulation& tree = system.articulations()[a];
    const ArticulationKinematics& at = kinematics.trees[a];
    const Eigen::Index v0 = system.v_offset(static_cast<int>(a)), n = tree.num_velocities();
    const Eigen::Ref<const Eigen::VectorXd> v_tree = v.segment(v0, n);
    tree.gravity_forces(at, system.gravity(), motion.gravity_impulse.segment(v0, n));
    motion.gravity_impulse.segment(v0, n) *= h;
    const bool is_coupled = options.coupled && options.coupled->has(v0, n);
    auto coupled_velocity = motion.coupled_velocity.segment(v0, n);
    coupled_velocity.setZero();
    if (is_coupled) coupled_velocity = options.coupled->velocity.segment(v0, n);
    const bool is_damped = options.coupled && options.coupled->damps(a, v0, n);
    Eigen::Map<Eigen::MatrixXd> M = zero_block(tree, a, is_damped, motion.mass_matrix);
    tree.mass_matrix(at, M);

    // No spring or servo acts on a free joint, so that M has no gains without dampers.
    const bool is_linked = options.linked && options.linked->trees[a];
    const bool is_plain = is_free_body(tree) && !is_linked && !is_coupled;
    if (is_plain && !has_joint_friction(system, v0, options, motion)) {
      const Vector6d impulse =
          motion.gravity_impulse.segment<6>(v0) + motion.actuation_impulse.segment<6>(v0);
      const Link& link = tree.links()[0];
      const InertialMotion free = is_central(link) ? central_body_motion(link, v_tree, impulse)
                                                   : free_body_motion(link, at, v_tree, impulse, h);
      motion.velocity.segment<6>(v0) = free.velocity;
      motion.inertial_velocity.segment<6>(v0) = free.inertial_velocity;
      motion.inertial_impulse.segment<6>(v0) = free.impulse;
      if (free.status != SolveStatus::Converged) motion.trees_without_inertia.push_back(a);
      continue;
    }
    if (options.linked) {
      motion.inertial_impulse.segment(v0, n) = options.linked->impulse.segment(v0, n);
      motion.inertial_velocity.segment(v0, n) = options.linked->velocity.segment(v0, n);
    }
    const auto q_tree =
        kinematics.q.segment(system.q_offset(static_cast<int>(a)), tree.num_positions());
    compute_tree_motion(system, a, at, q_tree, v, v0, h, is_linked, options, M, motion);
  }
}

}  // namespace amontons
