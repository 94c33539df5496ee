#include "amontons/simulation/system/loop_coordinates.h"

#include "amontons/dynamics/loop_joint.h"
#include "amontons/simulation/system/tendon_length.h"

#include <vector>

namespace amontons {
namespace {

/// Holds the kinematics of a tree once it has been computed.
struct TreeAt {
  bool is_computed = false;
  ArticulationKinematics kinematics;
};

/// Holds the pose of a frame and the angular velocity of its body, in W.
struct FrameMotion {
  Pose pose;
  Eigen::Vector3d angular_velocity = Eigen::Vector3d::Zero();
};

/// Returns the motion of a frame in a body, or in the world for a body below zero. Displacements of
/// fixed bodies are left out, because they turn no frame.
FrameMotion frame_motion(const System& system, const Eigen::Ref<const Eigen::VectorXd>& q,
                         const Eigen::Ref<const Eigen::VectorXd>& v, int body, const Pose& X_BF,
                         std::vector<TreeAt>& trees) {
  if (body < 0) return {X_BF};
  const Body& own = system.bodies()[static_cast<std::size_t>(body)];
  if (own.articulation < 0) return {own.X_LB * X_BF};
  const Articulation& tree = system.articulations()[static_cast<std::size_t>(own.articulation)];
  TreeAt& at = trees[static_cast<std::size_t>(own.articulation)];
  if (!at.is_computed) {
    tree.compute_motion(q.segment(system.q_offset(own.articulation), tree.num_positions()),
                        v.segment(system.v_offset(own.articulation), tree.num_velocities()),
                        at.kinematics);
    at.is_computed = true;
  }
  const auto link = static_cast<std::size_t>(own.link);
  return {at.kinematics.X_WB[link] * (own.X_LB * X_BF), at.kinematics.V_WB[link].head<3>()};
}

}  // namespace

void add_body_rate(const System& system, const SystemKinematics& kinematics, int body,
                   const Eigen::Vector3d& p_W, const Eigen::Matrix<double, 1, 6>& map,
                   BlockSparseMatrix& jacobian) {
  if (body < 0) return;
  const int a = system.bodies()[static_cast<std::size_t>(body)].articulation;
  if (a < 0) return;
  const int nv = system.articulations()[static_cast<std::size_t>(a)].num_velocities();
  jacobian.block_at(system.v_offset(a), nv) += map * body_jacobian(system, kinematics, body, p_W);
}

void measure_loop_coordinates(const System& system, SystemKinematics& kinematics) {
  const std::vector<LoopCoordinateSite>& sites = system.loop_coordinates();
  LoopCoordinates& loops = kinematics.loops;
  loops.position.resize(static_cast<Eigen::Index>(sites.size()));
  loops.jacobian.reset(system.num_velocities());
  for (std::size_t i = 0; i < sites.size(); ++i) {
    if (sites[i].loop_joint < 0) {
      loops.jacobian.add_block_row(1);
      loops.position[static_cast<Eigen::Index>(i)] =
          measure_tendon(system, sites[i], kinematics, loops.jacobian);
      continue;
    }
    const LoopJoint& joint = system.loop_joints()[static_cast<std::size_t>(sites[i].loop_joint)];
    // Value and rate between frames F and M, at the poses of both bodies.
    const Pose X_WF = frame_pose(kinematics, joint.body_a, joint.X_AF);
    const Pose X_WM = frame_pose(kinematics, joint.body_b, joint.X_BM);
    const double counted = sites[i].q_index < 0 ? 0.0 : kinematics.q[sites[i].q_index];
    const LoopCoordinate at = loop_coordinate(joint.geometry, X_WF, X_WM, counted);
    loops.position[static_cast<Eigen::Index>(i)] = at.value;
    loops.jacobian.add_block_row(1);
    add_body_rate(system, kinematics, joint.body_a, X_WF.translation, at.jacobian_F,
                  loops.jacobian);
    add_body_rate(system, kinematics, joint.body_b, X_WM.translation, at.jacobian_M,
                  loops.jacobian);
  }
}

void count_turns(const System& system, const Eigen::Ref<const Eigen::VectorXd>& q,
                 const Eigen::Ref<const Eigen::VectorXd>& v, double h, Eigen::VectorXd& q_next) {
  // Poses of the trees that have a counted angle, at the start and at the end.
  std::vector<TreeAt> start(system.articulations().size()), end(start.size());
  for (const LoopCoordinateSite& site : system.loop_coordinates()) {
    if (site.q_index < 0) continue;
    const LoopJoint& joint = system.loop_joints()[static_cast<std::size_t>(site.loop_joint)];
    const FrameMotion F = frame_motion(system, q, v, joint.body_a, joint.X_AF, start);
    const FrameMotion M = frame_motion(system, q, v, joint.body_b, joint.X_BM, start);
    const LoopCoordinate before = loop_coordinate(joint.geometry, F.pose, M.pose, q[site.q_index]);
    const double expected =
        before.value + h * (before.jacobian_F.head<3>().dot(F.angular_velocity) +
                            before.jacobian_M.head<3>().dot(M.angular_velocity));
    // The poses at the end give the angle, its rate the number of turns.
    const FrameMotion F_next = frame_motion(system, q_next, v, joint.body_a, joint.X_AF, end);
    const FrameMotion M_next = frame_motion(system, q_next, v, joint.body_b, joint.X_BM, end);
    q_next[site.q_index] =
        loop_coordinate(joint.geometry, F_next.pose, M_next.pose, expected).value;
  }
}

void add_loop_coordinate(const LoopCoordinates& loops, int loop, double factor,
                         BlockSparseMatrix& jacobian) {
  for (const BlockSparseMatrix::Block& block :
       loops.jacobian.block_row(static_cast<std::size_t>(loop))) {
    // A tree may already have a block in this row.
    jacobian.block_at(block.col, block.num_cols) += factor * loops.jacobian.values(block);
  }
}

}  // namespace amontons
