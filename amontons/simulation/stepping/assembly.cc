#include "amontons/simulation/stepping/assembly.h"

#include "amontons/contact/operators/drag_limit.h"
#include "amontons/dynamics/loop_joint.h"
#include "amontons/math/rotation.h"
#include "amontons/math/stop.h"
#include "amontons/simulation/stepping/joint_error_rounding.h"
#include "amontons/simulation/system/loop_coordinates.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace amontons {
namespace {

// Share of its terms below which an entry of a row is rounding [-].
constexpr double kEntryRounding = 1e-12;

/// Holds the rows of one loop joint along the velocities of one articulation. `terms` bounds the
/// sizes of the terms that each entry sums.
struct TreeRows {
  int articulation = -1;
  Eigen::MatrixXd values, terms;
};

/// Returns map * (w, v at p_W) of a body; without a tree for a fixed body.
TreeRows tree_rows(const System& system, const SystemKinematics& kinematics, int body,
                   const Eigen::Vector3d& p_W, const Eigen::Ref<const Eigen::MatrixXd>& map) {
  if (body < 0) return {};
  const Body& b = system.bodies()[static_cast<std::size_t>(body)];
  if (b.articulation < 0) return {};
  const Eigen::MatrixXd J = body_jacobian(system, kinematics, body, p_W);
  // Velocities of the point are turns by levers, differences of coordinates: of a point on the axis
  // of a hinge their rounding alone is left.
  const Eigen::RowVectorXd turns = J.topRows<3>().colwise().norm();
  const Eigen::RowVectorXd speeds = J.bottomRows<3>().colwise().norm() + p_W.norm() * turns;
  return {
      b.articulation, map * J,
      map.leftCols<3>().rowwise().norm() * turns + map.rightCols<3>().rowwise().norm() * speeds};
}

/// Adds the rows to the current block row. Where the tree itself satisfies a row (parallel hinges),
/// rounding is left in place of zero. It would count as an independent row, so an entry far below
/// its terms is set to zero.
void add_rows(const System& system, TreeRows rows, BlockSparseMatrix& jacobian) {
  if (rows.articulation < 0) return;
  rows.values = (rows.values.array().abs() <= kEntryRounding * rows.terms.array())
                    .select(0.0, rows.values)
                    .eval();
  jacobian.add_block(system.v_offset(rows.articulation), rows.values);
}

/// Adds factor * (rate of a coordinate) to the current row; returns factor * (the coordinate).
double add_coordinate(const System& system, const SystemKinematics& kinematics,
                      const CoordinatePlace& place, double factor, BlockSparseMatrix& jacobian) {
  if (place.loop >= 0) {
    add_loop_coordinate(kinematics.loops, place.loop, factor, jacobian);
    return factor * coordinate_position(place, kinematics);
  }
  const int a = system.articulation_of(place.v_index);
  const Articulation& tree = system.articulations()[static_cast<std::size_t>(a)];
  const int v0 = system.v_offset(a);
  jacobian.block_at(v0, tree.num_velocities())(0, place.v_index - v0) += factor;
  return factor * coordinate_position(place, kinematics);
}

/// Returns the prescribed velocity of a body [m/s], zero for the world.
Eigen::Vector3d prescribed(const System& system, int body, double time, double h) {
  if (body < 0) return Eigen::Vector3d::Zero();
  return prescribed_velocity(system, system.bodies()[static_cast<std::size_t>(body)], time, h);
}

/// Holds the rows of a loop joint and the poses of its two frames.
struct LoopRows {
  LoopJointRows rows;
  Pose X_WF, X_WM;
};

/// Returns the rows of a loop joint at given kinematics.
LoopRows evaluate(const LoopJoint& joint, const SystemKinematics& kinematics) {
  const Pose X_WF = frame_pose(kinematics, joint.body_a, joint.X_AF);
  const Pose X_WM = frame_pose(kinematics, joint.body_b, joint.X_BM);
  return {loop_joint_rows(joint.geometry, X_WF, X_WM), X_WF, X_WM};
}

/// Writes contact rows and biases: u = J_C v + bias is the velocity of body B against A.
void assemble_contacts(const System& system, const SystemKinematics& kinematics, double start_time,
                       double h, ContactProblem& problem) {
  const auto nc = static_cast<Eigen::Index>(problem.contacts.size());
  problem.contact_jacobian.reset(system.num_velocities());
  problem.contact_bias.resize(3 * nc);
  const auto column_of = [&system](int tree) { return Eigen::Index{system.v_offset(tree)}; };
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    check_stop();
    const Contact& contact = problem.contacts[i];
    add_contact_rows(system, kinematics, contact, column_of, problem.contact_jacobian);
    clear_blocked_rows(problem, i, BlockedRows::Normal, problem.contact_jacobian);
    // Walls with prescribed motion have no entries in v.
    const Eigen::Vector3d velocity = prescribed(system, contact.body_b, start_time, h) -
                                     prescribed(system, contact.body_a, start_time, h);
    auto bias = problem.contact_bias.segment<3>(ContactProblem::row(i));
    if (velocity.isZero(0.0)) {
      bias.setZero();
    } else {
      bias = contact_frame(contact.normal_W).transpose() * velocity;
    }
  }
}

/// Writes the rates of prescribed bodies and motions: J v + joint_bias is the rate of Theta.
void assemble_joint_bias(const System& system, const SystemKinematics& kinematics,
                         double start_time, double h, ContactProblem& problem) {
  problem.joint_bias = Eigen::VectorXd::Zero(problem.joint_jacobian.rows());
  Eigen::Index row = 0;
  for (const LoopJoint& joint : system.loop_joints()) {
    if (!joint.is_attached) {
      row += num_loop_rows(joint.geometry.type);
      continue;
    }
    const LoopRows loop = evaluate(joint, kinematics);
    const LoopJointRows& rows = loop.rows;
    const Eigen::Index n = rows.error.size();
    problem.joint_bias.segment(row, n) =
        rows.jacobian_F.rightCols<3>() * prescribed(system, joint.body_a, start_time, h) +
        rows.jacobian_M.rightCols<3>() * prescribed(system, joint.body_b, start_time, h);
    row += n;
  }
  // Prescribed coordinates use their mean rate over the step, so that it ends on the motion.
  row = system.num_joint_rows() - static_cast<Eigen::Index>(system.prescribed().size());
  for (const PrescribedCoordinate& own : system.prescribed()) {
    const double rate =
        h == 0.0 ? own.motion.rate(start_time)
                 : (own.motion.position(start_time + h) - own.motion.position(start_time)) / h;
    problem.joint_bias[row++] = -rate;
  }
}

}  // namespace

void add_contact_rows(const System& system, const SystemKinematics& kinematics,
                      const Contact& contact, const std::function<Eigen::Index(int)>& column_of,
                      BlockSparseMatrix& jacobian) {
  const Eigen::Matrix3d R_CW = contact_frame(contact.normal_W).transpose();
  const Body& a = system.bodies()[static_cast<std::size_t>(contact.body_a)];
  const Body& b = system.bodies()[static_cast<std::size_t>(contact.body_b)];
  const auto tree_of = [&system](const Body& body) -> const Articulation& {
    return system.articulations()[static_cast<std::size_t>(body.articulation)];
  };
  const auto kinematics_of = [&kinematics](const Body& body) -> const ArticulationKinematics& {
    return kinematics.trees[static_cast<std::size_t>(body.articulation)];
  };
  const auto columns_of = [&](const Body& body) {
    return jacobian.block_at(column_of(body.articulation), tree_of(body).num_velocities());
  };
  jacobian.add_block_row(3);
  if (a.articulation == b.articulation && a.articulation >= 0) {
    tree_of(a).add_relative_jacobian(kinematics_of(a), a.link, b.link, contact.position_W, R_CW,
                                     columns_of(a));
    return;
  }
  // Fixed bodies have no columns.
  const auto add_point = [&](const Body& body, const Eigen::Matrix3d& R) {
    if (body.articulation < 0) return;
    tree_of(body).add_point_jacobian(kinematics_of(body), body.link, contact.position_W, R,
                                     columns_of(body));
  };
  add_point(b, R_CW);
  add_point(a, -R_CW);
}

void clear_blocked_rows(const ContactProblem& problem, std::size_t contact, BlockedRows which,
                        BlockSparseMatrix& jacobian) {
  const double coordinates = problem.gap_rounding(contact) / kGapRounding;
  const auto blocks = jacobian.block_row(contact);
  for (Eigen::Index row = which == BlockedRows::Normal ? 2 : 0; row < 3; ++row) {
    const auto is_rounding = [&](const BlockSparseMatrix::Block& block) {
      const auto values = jacobian.values(block);
      return values.row(row).cwiseAbs().maxCoeff() <=
             kEntryRounding * std::max(coordinates, values.norm());
    };
    if (!std::all_of(blocks.begin(), blocks.end(), is_rounding)) continue;
    for (const BlockSparseMatrix::Block& block : blocks) {
      jacobian.block_at(block.col, block.num_cols).row(row).setZero();
    }
  }
}

void assemble_joints(const System& system, const SystemKinematics& kinematics,
                     BlockSparseMatrix& jacobian, Eigen::VectorXd& error) {
  jacobian.reset(system.num_velocities());
  error.resize(system.num_joint_rows());
  // Loop joints: rows along the trees of both bodies, which may be the same tree.
  for (const LoopJoint& joint : system.loop_joints()) {
    if (!joint.is_attached) {
      const Eigen::Index n = num_loop_rows(joint.geometry.type);
      error.segment(jacobian.add_block_row(n), n).setZero();
      continue;
    }
    const LoopRows loop = evaluate(joint, kinematics);
    const Eigen::Index first = jacobian.add_block_row(loop.rows.error.size());
    error.segment(first, loop.rows.error.size()) = loop.rows.error;
    TreeRows of_a =
        tree_rows(system, kinematics, joint.body_a, loop.X_WF.translation, loop.rows.jacobian_F);
    TreeRows of_b =
        tree_rows(system, kinematics, joint.body_b, loop.X_WM.translation, loop.rows.jacobian_M);
    // A block row holds each tree once.
    if (of_a.articulation >= 0 && of_a.articulation == of_b.articulation) {
      of_b.values += of_a.values;
      of_b.terms += of_a.terms;
      of_a = {};
    }
    add_rows(system, std::move(of_a), jacobian);
    add_rows(system, std::move(of_b), jacobian);
  }
  // Couplings: Theta = q_a - curve(q_b).
  for (const CoordinateCoupling& coupling : system.couplings()) {
    const Eigen::Index row = jacobian.add_block_row(1);
    const CouplingCurve& curve = coupling.curve;
    error[row] = add_coordinate(system, kinematics, coupling.a, 1.0, jacobian) - curve.offset;
    if (!coupling.b) continue;
    const double b = coordinate_position(*coupling.b, kinematics);
    add_coordinate(system, kinematics, *coupling.b, -curve.slope(b), jacobian);
    error[row] -= curve.rise(b);
  }
  // Prescribed motions: Theta = q - motion(t).
  for (const PrescribedCoordinate& own : system.prescribed()) {
    const Eigen::Index row = jacobian.add_block_row(1);
    error[row] = add_coordinate(system, kinematics, own.place, 1.0, jacobian) -
                 own.motion.position(kinematics.time);
  }
}

void assemble(const System& system, const StepEvaluation& evaluation,
              const Eigen::Ref<const Eigen::VectorXd>& v_start,
              const Eigen::Ref<const Eigen::VectorXd>& evaluation_velocity, double start_time,
              const StepParameters& parameters, ContactProblem& problem) {
  const double h = parameters.step;
  const SystemKinematics& kinematics = evaluation.kinematics;
  // Parameters, dynamics and contacts are those of the evaluation.
  problem.step = h;
  problem.gamma = parameters.gamma;
  problem.literal_gamma = parameters.literal_gamma;
  problem.rest_speed = parameters.rest_speed;
  problem.overlap_speed = parameters.overlap_speed;
  problem.mass_matrix = evaluation.free_motion.mass_matrix;
  problem.velocity = v_start;
  problem.free_velocity = evaluation.free_motion.velocity;
  problem.contacts = evaluation.contacts;
  // Rows and biases of contacts and joints.
  assemble_contacts(system, kinematics, start_time, h, problem);
  limit_drag(problem);
  assemble_joints(system, kinematics, problem.joint_jacobian, problem.joint_error);
  assemble_joint_bias(system, kinematics, start_time, h, problem);

  if (kinematics.time != start_time) {
    // Evaluated ahead of the start: linearize gaps and joint errors back to it.
    const Eigen::VectorXd ahead = problem.contact_velocities(evaluation_velocity);
    for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
      problem.contacts[i].gap -= h * ahead[ContactProblem::row(i) + 2];
    }
    problem.joint_error -= h * (problem.joint_jacobian * evaluation_velocity + problem.joint_bias);
  }
  settle_joint_errors(system, kinematics, problem);
}

}  // namespace amontons
