#include "amontons/simulation/system/loop_coordinates.h"

#include "amontons/dynamics/loop_joint.h"

namespace amontons {
namespace {

/// Adds map * (w, v at p_W) of a body to the current row.
void add_body(const System& system, const SystemKinematics& kinematics, int body,
              const Eigen::Vector3d& p_W, const Eigen::Matrix<double, 1, 6>& map,
              BlockSparseMatrix& jacobian) {
  if (body < 0) return;
  const int a = system.bodies()[static_cast<std::size_t>(body)].articulation;
  if (a < 0) return;
  const int nv = system.articulations()[static_cast<std::size_t>(a)].num_velocities();
  jacobian.block_at(system.v_offset(a), nv) += map * body_jacobian(system, kinematics, body, p_W);
}

}  // namespace

void measure_loop_coordinates(const System& system, SystemKinematics& kinematics) {
  const std::vector<LoopCoordinateSite>& sites = system.loop_coordinates();
  LoopCoordinates& loops = kinematics.loops;
  loops.position.resize(static_cast<Eigen::Index>(sites.size()));
  loops.jacobian.reset(system.num_velocities());
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const LoopJoint& joint = system.loop_joints()[static_cast<std::size_t>(sites[i].loop_joint)];
    // Value and rate between frames F and M, at the poses of both bodies.
    const Pose X_WF = frame_pose(kinematics, joint.body_a, joint.X_AF);
    const Pose X_WM = frame_pose(kinematics, joint.body_b, joint.X_BM);
    const LoopCoordinate at = loop_coordinate(joint.geometry, X_WF, X_WM, sites[i].reference);
    loops.position[static_cast<Eigen::Index>(i)] = at.value;
    loops.jacobian.add_block_row(1);
    add_body(system, kinematics, joint.body_a, X_WF.translation, at.jacobian_F, loops.jacobian);
    add_body(system, kinematics, joint.body_b, X_WM.translation, at.jacobian_M, loops.jacobian);
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
