#include "amontons/simulation/forces.h"

#include "amontons/dynamics/gyroscopic.h"
#include "amontons/math/block_diagonal_factor.h"
#include "amontons/math/rotation.h"
#include "amontons/math/tree_factor.h"
#include "amontons/optimization/box_qp.h"

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace amontons {
namespace {

// Torque and force of a wrench, the mean over [time, time + h].
Vector6d mean_wrench(const WrenchDrive& wrench, double time, double h) {
  Vector6d result;
  if (wrench.table.empty()) {
    result << wrench.torque_W, wrench.force_W;
    return result;
  }
  for (Eigen::Index k = 0; k < 6; ++k) {
    const auto column = static_cast<std::size_t>(k < 3 ? k + 3 : k - 3);
    result[k] = wrench.table[column].mean(time, time + h);
  }
  return result;
}

// The effort of a drive, the mean over [time, time + h].
double mean_effort(const EffortDrive& drive, double time, double h) {
  return drive.table ? drive.table->mean(time, time + h) : drive.effort;
}

// The scene's wrenches and commanded ones, and efforts along joints that are rows of J, as
// generalized forces, [nv].
void compute_wrench_forces(const System& system, const SystemKinematics& kinematics, double time,
                           double h, Eigen::VectorXd& result) {
  result.setZero(system.num_velocities());
  const auto add = [&](const WrenchDrive& wrench) {
    const Body& body = system.bodies()[static_cast<std::size_t>(wrench.body)];
    const Pose& X_WB = kinematics.X_WB[static_cast<std::size_t>(wrench.body)];
    const Eigen::MatrixXd jacobian =
        body_jacobian(system, kinematics, wrench.body, X_WB * wrench.at_B);
    const Vector6d force = mean_wrench(wrench, time, h);
    result.segment(system.v_offset(body.articulation), jacobian.cols()) +=
        jacobian.transpose() * force;
  };
  for (const WrenchDrive& wrench : system.wrenches()) add(wrench);
  for (const WrenchDrive& wrench : system.commands().wrenches) add(wrench);
  if (system.loop_coordinates().empty()) return;
  Eigen::VectorXd efforts = system.commands().loop_effort;
  for (const EffortDrive& drive : system.efforts()) {
    if (drive.loop >= 0) efforts[drive.loop] += mean_effort(drive, time, h);
  }
  result += kinematics.loops.jacobian.transpose_times(efforts);
}

// A velocity without contact, and what inertia had in it.
struct InertialMotion {
  Vector6d velocity, impulse;
};

// What turns the momentum L into that of the implicit gyroscopic step which ends with w.
Eigen::Vector3d gyroscopic_impulse(const Eigen::Vector3d& L, const Eigen::Vector3d& w, double h) {
  return rotation_from_vector(-h * w) * L - L;
}

// A body alone on a free joint: momentum balance about its center, so that both momenta are those
// of the new orientation.
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
  const Eigen::Vector3d w_next = implicit_gyroscopic_velocity(I, I * w + torque_impulse, w, h);
  const Eigen::Vector3d v_center = v.tail<3>() + w.cross(c) + impulse.tail<3>() / m;
  const Eigen::Vector3d c_next = rotation_from_vector(h * w_next) * c;
  // Of the origin at the start of the step, about which M is.
  const Eigen::Vector3d inertial = m * w_next.cross(c - c_next);
  InertialMotion result;
  result.velocity << w_next, v_center - w_next.cross(c_next);
  result.impulse << gyroscopic_impulse(I * w + torque_impulse, w_next, h) + c.cross(inertial),
      inertial;
  return result;
}

bool is_alone_on(const Articulation& tree, JointType type) {
  return tree.num_links() == 1 && tree.links()[0].joint == type;
}

void compute_springs_and_dampers(const System& system, const Eigen::Ref<const Eigen::VectorXd>& q,
                                 double h, bool damped, FreeMotion& motion) {
  motion.spring_impulse.setZero(system.num_velocities());
  motion.spring_gain.setZero(system.num_velocities());
  motion.damper_gain.setZero(system.num_velocities());
  for (const CoordinateDynamics& coordinate : system.coordinate_dynamics()) {
    if (coordinate.loop >= 0) continue;  // rows of the contact problem (joint_rows.h)
    const JointDynamics& d = coordinate.dynamics;
    if (damped) motion.damper_gain[coordinate.v_index] = h * d.viscous_friction;
    if (d.stiffness == 0.0) continue;
    motion.spring_gain[coordinate.v_index] = h * h * d.stiffness;
    motion.spring_impulse[coordinate.v_index] =
        h * d.stiffness * (d.rest_position - q[coordinate.q_index]);
  }
}

// What implicit servos add to the momentum and to the diagonal of M, for the whole system.
void add_servos(const System& system, const Eigen::Ref<const Eigen::VectorXd>& q, double time,
                double h, const FreeMotionOptions& options, FreeMotion& motion) {
  for (std::size_t i = 0; i < system.servos().size(); ++i) {
    const ServoDrive& servo = system.servos()[i];
    if (servo.loop >= 0 || (!options.servo_rows.empty() && options.servo_rows[i])) continue;
    const ServoTarget target = servo_target(servo, time, h);
    motion.servo_impulse[servo.v_index] +=
        h * (servo.kp * (target.position - q[servo.q_index]) + servo.kd * target.rate);
    motion.servo_gain[servo.v_index] += h * servo.kd + h * h * servo.kp;
  }
}

void add_explicit_friction(const System& system, const Eigen::Ref<const Eigen::VectorXd>& v,
                           double h, FreeMotion& motion) {
  for (const CoordinateDynamics& own : system.coordinate_dynamics()) {
    if (own.loop >= 0) continue;
    const double rate = v[own.v_index];
    const double sign = rate > 0.0 ? 1.0 : rate < 0.0 ? -1.0 : 0.0;
    motion.friction_impulse[own.v_index] -=
        h * (own.dynamics.viscous_friction * rate + own.dynamics.coulomb_friction * sign);
  }
}

// Drumwright and Shell's QP4 on one articulation, whose velocities begin at v0.
void add_published_friction(const System& system, const BlockDiagonalFactor& factor,
                            Eigen::Index v0, const Eigen::Ref<const Eigen::VectorXd>& v, double h,
                            FreeMotion& motion) {
  const Eigen::Index n = factor.size();
  std::vector<Eigen::Index> joints;
  std::vector<double> bounds;
  for (const CoordinateDynamics& own : system.coordinate_dynamics()) {
    if (own.v_index < v0 || own.v_index >= v0 + n) continue;
    const double bound = h * (own.dynamics.coulomb_friction +
                              own.dynamics.viscous_friction * std::abs(v[own.v_index]));
    if (!(bound > 0.0)) continue;
    joints.push_back(own.v_index - v0);
    bounds.push_back(bound);
  }
  if (joints.empty()) return;
  Eigen::MatrixXd inverse = Eigen::MatrixXd::Identity(n, n);
  factor.solve_in_place(inverse);
  BoxQuadraticProgram program;
  program.H = inverse(joints, joints);
  program.H = 0.5 * (program.H + program.H.transpose()).eval();
  program.g = motion.velocity.segment(v0, n)(joints);
  program.upper =
      Eigen::Map<const Eigen::VectorXd>(bounds.data(), static_cast<Eigen::Index>(bounds.size()));
  program.lower = -program.upper;
  const BoxQpSolution solution = solve_gpcg(program, {.tolerance = 1e-14});
  Eigen::VectorXd impulse = Eigen::VectorXd::Zero(n);
  impulse(joints) = solution.x;
  motion.friction_impulse.segment(v0, n) = impulse;
  motion.velocity.segment(v0, n) += inverse * impulse;
}

// Explicit Coriolis forces, implicit servos, springs and dampers; of a tree whose velocities begin
// at v0.
void compute_tree_motion(const System& system, const Articulation& tree,
                         const ArticulationKinematics& at,
                         const Eigen::Ref<const Eigen::VectorXd>& v, Eigen::Index v0, double h,
                         const FreeMotionOptions& options, FreeMotion& motion) {
  const Eigen::Index n = tree.num_velocities();
  Eigen::Map<Eigen::MatrixXd> M = motion.mass_matrix.add_zero_block(n, tree.dof_parents());
  tree.mass_matrix(at, M);
  auto velocity = motion.velocity.segment(v0, n);
  const auto v_tree = v.segment(v0, n);
  const auto impulse = motion.gravity_impulse.segment(v0, n) +
                       motion.actuation_impulse.segment(v0, n) +
                       motion.spring_impulse.segment(v0, n);
  const auto gain = motion.spring_gain.segment(v0, n) + motion.damper_gain.segment(v0, n);
  if (is_alone_on(tree, JointType::Spherical) && gain.isZero(0.0)) {
    // M is the inertia about the fixed pivot, in the frame F of v.
    const Eigen::Vector3d momentum = M * v_tree + impulse;
    const Eigen::Vector3d w_next = implicit_gyroscopic_velocity(M, momentum, v_tree, h);
    velocity = w_next;
    motion.inertial_impulse.segment(v0, n) = gyroscopic_impulse(momentum, w_next, h);
    return;
  }
  DynamicsWorkspace& work = motion.work;
  work.bias.resize(n);
  tree.bias_forces(at, v_tree, Eigen::Vector3d::Zero(), work.newton, work.bias);
  velocity.noalias() = M * v_tree;
  velocity += impulse;
  motion.inertial_impulse.segment(v0, n) = -h * work.bias;
  velocity += motion.inertial_impulse.segment(v0, n);
  velocity += motion.servo_impulse.segment(v0, n) + motion.friction_impulse.segment(v0, n);
  M.diagonal() += gain + motion.servo_gain.segment(v0, n);
  work.factor = M;
  const TreeParents parents{tree.dof_parents()};
  const int bad = factor_tree(work.factor, parents);
  if (bad >= 0) {
    throw std::domain_error("mass matrix of '" + tree.links()[0].name +
                            "' is not positive definite (row " + std::to_string(bad) + ")");
  }
  solve_transposed_tree(work.factor, parents, velocity);
  solve_tree(work.factor, parents, velocity);
  if (options.friction == JointFriction::BoxQp) {
    BlockDiagonalMatrix block;
    block.add_block(M, tree.dof_parents());
    add_published_friction(system, BlockDiagonalFactor(block), v0, v, h, motion);
  }
}

}  // namespace

Eigen::VectorXd FreeMotion::drive_impulse(const Eigen::VectorXd& v_end) const {
  return actuation_impulse - wrench_impulse + servo_impulse + spring_impulse -
         (servo_gain + spring_gain + damper_gain).cwiseProduct(v_end);
}

void compute_free_motion(const System& system, const SystemKinematics& kinematics,
                         const Eigen::Ref<const Eigen::VectorXd>& q,
                         const Eigen::Ref<const Eigen::VectorXd>& v, double time, double h,
                         const FreeMotionOptions& options, FreeMotion& motion) {
  const Eigen::Index nv = system.num_velocities();
  motion.mass_matrix.clear();
  motion.velocity.resize(nv);
  motion.gravity_impulse.resize(nv);
  motion.inertial_impulse.resize(nv);
  compute_wrench_forces(system, kinematics, time, h, motion.wrench_impulse);
  motion.wrench_impulse *= h;
  motion.actuation_impulse = motion.wrench_impulse + h * system.commands().effort;
  for (const EffortDrive& drive : system.efforts()) {
    if (drive.loop < 0) motion.actuation_impulse[drive.v_index] += h * mean_effort(drive, time, h);
  }
  motion.servo_impulse.setZero(nv);
  motion.servo_gain.setZero(nv);
  compute_springs_and_dampers(system, q, h, options.friction == JointFriction::Coupled, motion);
  add_servos(system, q, time, h, options, motion);
  motion.friction_impulse.setZero(nv);
  if (options.friction == JointFriction::Explicit) add_explicit_friction(system, v, h, motion);

  for (std::size_t a = 0; a < system.articulations().size(); ++a) {
    const Articulation& tree = system.articulations()[a];
    const ArticulationKinematics& at = kinematics.trees[a];
    const Eigen::Index v0 = system.v_offset(static_cast<int>(a)), n = tree.num_velocities();
    const Eigen::Ref<const Eigen::VectorXd> v_tree = v.segment(v0, n);
    tree.gravity_forces(at, system.gravity(), motion.gravity_impulse.segment(v0, n));
    motion.gravity_impulse.segment(v0, n) *= h;

    if (is_alone_on(tree, JointType::Free)) {
      tree.mass_matrix(at, motion.mass_matrix.add_zero_block(n, tree.dof_parents()));
      const Vector6d impulse =
          motion.gravity_impulse.segment<6>(v0) + motion.actuation_impulse.segment<6>(v0);
      const InertialMotion free = free_body_motion(tree.links()[0], at, v_tree, impulse, h);
      motion.velocity.segment<6>(v0) = free.velocity;
      motion.inertial_impulse.segment<6>(v0) = free.impulse;
      continue;
    }
    compute_tree_motion(system, tree, at, v, v0, h, options, motion);
  }
}

ServoTarget servo_target(const ServoDrive& servo, double time, double h) {
  if (!servo.trajectory) return {servo.target, servo.target_rate};
  const double end = servo.trajectory->value(time + h);
  if (servo.kp == 0.0) return {servo.target, end};
  return {end, (end - servo.trajectory->value(time)) / h};
}

double servo_effort(const ServoDrive& servo, const Eigen::Ref<const Eigen::VectorXd>& q,
                    const Eigen::Ref<const Eigen::VectorXd>& v_end, double time, double h) {
  const ServoTarget target = servo_target(servo, time, h);
  const double rate = v_end[servo.v_index];
  return servo.kp * (target.position - q[servo.q_index] - h * rate) +
         servo.kd * (target.rate - rate);
}

}  // namespace amontons
