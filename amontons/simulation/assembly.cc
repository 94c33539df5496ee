#include "amontons/simulation/assembly.h"

#include "amontons/dynamics/loop_joint.h"
#include "amontons/math/rotation.h"

namespace amontons {
namespace {

// Adds the velocity of a body's point, in other axes, to the current block row.
void add_point_rows(const System& system, const SystemKinematics& kinematics, int body,
                    const Eigen::Vector3d& p_W, const Eigen::Matrix3d& R,
                    BlockSparseMatrix& jacobian) {
  const Body& b = system.bodies()[static_cast<std::size_t>(body)];
  if (b.articulation < 0) return;
  const auto a = static_cast<std::size_t>(b.articulation);
  const Articulation& tree = system.articulations()[a];
  tree.add_point_jacobian(
      kinematics.trees[a], b.link, p_W, R,
      jacobian.block_at(system.v_offset(b.articulation), tree.num_velocities()));
}

// Adds  map * (w, v at p_W)  of a body to the current block row.
void add_body_rows(const System& system, const SystemKinematics& kinematics, int body,
                   const Eigen::Vector3d& p_W, const Eigen::Ref<const Eigen::MatrixXd>& map,
                   BlockSparseMatrix& jacobian) {
  if (body < 0) return;
  const Body& b = system.bodies()[static_cast<std::size_t>(body)];
  if (b.articulation < 0) return;
  jacobian.add_block(system.v_offset(b.articulation),
                     map * body_jacobian(system, kinematics, body, p_W));
}

// Adds  factor * v[v_index]  to the current row.
void add_coordinate(const System& system, int v_index, double factor, BlockSparseMatrix& jacobian) {
  const int a = system.articulation_of(v_index);
  const Articulation& tree = system.articulations()[static_cast<std::size_t>(a)];
  jacobian.block_at(system.v_offset(a), tree.num_velocities())(0, v_index - system.v_offset(a)) +=
      factor;
}

Eigen::Vector3d prescribed(const System& system, int body, double time, double h) {
  if (body < 0) return Eigen::Vector3d::Zero();
  return prescribed_velocity(system, system.bodies()[static_cast<std::size_t>(body)], time, h);
}

Pose frame_pose(const SystemKinematics& kinematics, int body, const Pose& X_BF) {
  return body < 0 ? X_BF : kinematics.X_WB[static_cast<std::size_t>(body)] * X_BF;
}

struct LoopRows {
  LoopJointRows rows;
  Pose X_WF, X_WM;
};

LoopRows evaluate(const LoopJoint& joint, const SystemKinematics& kinematics) {
  const Pose X_WF = frame_pose(kinematics, joint.body_a, joint.X_AF);
  const Pose X_WM = frame_pose(kinematics, joint.body_b, joint.X_BM);
  return {loop_joint_rows(joint.geometry, X_WF, X_WM), X_WF, X_WM};
}

void assemble_contacts(const System& system, const SystemKinematics& kinematics, double start_time,
                       double h, ContactProblem& problem) {
  const auto nc = static_cast<Eigen::Index>(problem.contacts.size());
  problem.contact_jacobian.reset(system.num_velocities());
  problem.contact_bias.resize(3 * nc);
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const Contact& contact = problem.contacts[i];
    const Eigen::Matrix3d R_CW = contact_frame(contact.normal_W).transpose();
    problem.contact_jacobian.add_block_row(3);
    add_point_rows(system, kinematics, contact.body_b, contact.position_W, R_CW,
                   problem.contact_jacobian);
    add_point_rows(system, kinematics, contact.body_a, contact.position_W, -R_CW,
                   problem.contact_jacobian);
    problem.contact_bias.segment<3>(ContactProblem::row(i)) =
        R_CW * (prescribed(system, contact.body_b, start_time, h) -
                prescribed(system, contact.body_a, start_time, h));
  }
}

void assemble_joint_bias(const System& system, const SystemKinematics& kinematics,
                         double start_time, double h, ContactProblem& problem) {
  problem.joint_bias = Eigen::VectorXd::Zero(problem.joint_jacobian.rows());
  Eigen::Index row = 0;
  for (const LoopJoint& joint : system.loop_joints()) {
    const LoopJointRows rows = evaluate(joint, kinematics).rows;
    const Eigen::Index n = rows.error.size();
    problem.joint_bias.segment(row, n) =
        rows.jacobian_F.rightCols<3>() * prescribed(system, joint.body_a, start_time, h) +
        rows.jacobian_M.rightCols<3>() * prescribed(system, joint.body_b, start_time, h);
    row += n;
  }
}

}  // namespace

void assemble_joints(const System& system, const SystemKinematics& kinematics,
                     BlockSparseMatrix& jacobian, Eigen::VectorXd& error) {
  jacobian.reset(system.num_velocities());
  error.resize(system.num_joint_rows());
  for (const LoopJoint& joint : system.loop_joints()) {
    const LoopRows loop = evaluate(joint, kinematics);
    const Eigen::Index first = jacobian.add_block_row(loop.rows.error.size());
    error.segment(first, loop.rows.error.size()) = loop.rows.error;
    add_body_rows(system, kinematics, joint.body_a, loop.X_WF.translation, loop.rows.jacobian_F,
                  jacobian);
    add_body_rows(system, kinematics, joint.body_b, loop.X_WM.translation, loop.rows.jacobian_M,
                  jacobian);
  }
  for (const CoordinateCoupling& coupling : system.couplings()) {
    const Eigen::Index row = jacobian.add_block_row(1);
    error[row] = kinematics.q[coupling.q_a] - coupling.offset;
    add_coordinate(system, coupling.v_a, 1.0, jacobian);
    if (coupling.v_b < 0) continue;
    error[row] -= coupling.multiplier * kinematics.q[coupling.q_b];
    add_coordinate(system, coupling.v_b, -coupling.multiplier, jacobian);
  }
}

void assemble(const System& system, const StepEvaluation& evaluation,
              const Eigen::Ref<const Eigen::VectorXd>& v_start,
              const Eigen::Ref<const Eigen::VectorXd>& evaluation_velocity, double start_time,
              const StepParameters& parameters, ContactProblem& problem) {
  const double h = parameters.step;
  const SystemKinematics& kinematics = evaluation.kinematics;
  problem.step = h;
  problem.gamma = parameters.gamma;
  problem.literal_gamma = parameters.literal_gamma;
  problem.rest_speed = parameters.rest_speed;
  problem.mass_matrix = evaluation.free_motion.mass_matrix;
  problem.velocity = v_start;
  problem.free_velocity = evaluation.free_motion.velocity;
  problem.contacts = evaluation.contacts;
  assemble_contacts(system, kinematics, start_time, h, problem);
  assemble_joints(system, kinematics, problem.joint_jacobian, problem.joint_error);
  assemble_joint_bias(system, kinematics, start_time, h, problem);

  if (kinematics.time == start_time) return;
  // Evaluated ahead of the start: linearize gaps and joint errors back to it.
  const Eigen::VectorXd ahead = problem.contact_velocities(evaluation_velocity);
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    problem.contacts[i].gap -= h * ahead[ContactProblem::row(i) + 2];
  }
  problem.joint_error -= h * (problem.joint_jacobian * evaluation_velocity + problem.joint_bias);
}

}  // namespace amontons
