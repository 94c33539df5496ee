#include "amontons/simulation/system/kinematics.h"

#include "amontons/math/elementary.h"
#include "amontons/simulation/system/loop_coordinates.h"
#include "amontons/simulation/system/swing_rotation.h"

#include <numbers>

namespace amontons {

void compute_kinematics(const System& system, const Eigen::Ref<const Eigen::VectorXd>& q,
                        const Eigen::Ref<const Eigen::VectorXd>& v, double time,
                        SystemKinematics& kinematics, std::span<const char> kept) {
  const std::size_t num_trees = system.articulations().size();
  kinematics.time = time;
  kinematics.q = q;
  kinematics.trees.resize(num_trees);
  // Trees come first; bodies and loop joints follow from them.
  for (std::size_t a = 0; a < num_trees; ++a) {
    if (is_marked(kept, a)) continue;
    const Articulation& tree = system.articulations()[a];
    tree.compute_kinematics(q.segment(system.q_offset(static_cast<int>(a)), tree.num_positions()),
                            v.segment(system.v_offset(static_cast<int>(a)), tree.num_velocities()),
                            kinematics.trees[a]);
  }
  // Bodies: fixed ones move as prescribed, the others with their links.
  kinematics.X_WB.resize(system.bodies().size());
  for (std::size_t b = 0; b < system.bodies().size(); ++b) {
    const Body& body = system.bodies()[b];
    if (body.articulation < 0) {
      kinematics.X_WB[b] = body.X_LB;
      kinematics.X_WB[b].translation += prescribed_displacement(system, body, time);
    } else if (!is_marked(kept, static_cast<std::size_t>(body.articulation))) {
      const ArticulationKinematics& tree =
          kinematics.trees[static_cast<std::size_t>(body.articulation)];
      kinematics.X_WB[b] = tree.X_WB[static_cast<std::size_t>(body.link)] * body.X_LB;
    }
  }
  // Coordinates between bodies need the poses of all bodies.
  if (!system.loop_coordinates().empty()) measure_loop_coordinates(system, kinematics);
}

Pose frame_pose(const SystemKinematics& kinematics, int body, const Pose& X_BF) {
  return body < 0 ? X_BF : kinematics.X_WB[static_cast<std::size_t>(body)] * X_BF;
}

double loop_rate(const SystemKinematics& at, int loop, const Eigen::Ref<const Eigen::VectorXd>& v) {
  double rate = 0.0;
  const BlockSparseMatrix& rows = at.loops.jacobian;
  for (const BlockSparseMatrix::Block& block : rows.block_row(static_cast<std::size_t>(loop))) {
    rate += rows.values(block).row(0).dot(v.segment(block.col, block.num_cols));
  }
  return rate;
}

// Each tree integrates its own q; trees share no coordinates. Counted angles follow from them.
Eigen::VectorXd integrate_positions(const System& system,
                                    const Eigen::Ref<const Eigen::VectorXd>& q,
                                    const Eigen::Ref<const Eigen::VectorXd>& v, double h,
                                    std::span<const char> kept) {
  Eigen::VectorXd q_next;
  integrate_positions(system, q, v, h, kept, q_next);
  return q_next;
}

void integrate_positions(const System& system, const Eigen::Ref<const Eigen::VectorXd>& q,
                         const Eigen::Ref<const Eigen::VectorXd>& v, double h,
                         std::span<const char> kept, Eigen::VectorXd& q_next) {
  q_next = q;
  // Loop joints alone have axes.
  std::vector<Eigen::Vector3d> axes;
  if (!system.loop_joints().empty()) axes = spin_axes(system, q, v);
  for (std::size_t a = 0; a < system.articulations().size(); ++a) {
    if (is_marked(kept, a)) continue;
    const Articulation& tree = system.articulations()[a];
    const int q0 = system.q_offset(static_cast<int>(a)), v0 = system.v_offset(static_cast<int>(a));
    const Eigen::Vector3d axis = axes.empty() ? Eigen::Vector3d::Zero().eval() : axes[a];
    integrate_swinging(tree, axis, q.segment(q0, tree.num_positions()),
                       v.segment(v0, tree.num_velocities()), h,
                       q_next.segment(q0, tree.num_positions()));
  }
  if (!system.loop_coordinates().empty()) count_turns(system, q, v, h, q_next);
}

Eigen::Vector3d prescribed_displacement(const System& system, const Body& body, double time) {
  if (body.motion < 0) return Eigen::Vector3d::Zero();
  const BodyMotion& motion = system.motions()[static_cast<std::size_t>(body.motion)];
  // Sinusoid amplitude sin(2 pi t/period) along the axis.
  return motion.amplitude * elementary::sin(2.0 * std::numbers::pi * time / motion.period) *
         motion.axis;
}

Eigen::Vector3d prescribed_velocity(const System& system, const Body& body, double time, double h) {
  if (body.motion < 0) return Eigen::Vector3d::Zero();
  // An instant has the derivative, a step the mean.
  if (h == 0.0) {
    const BodyMotion& motion = system.motions()[static_cast<std::size_t>(body.motion)];
    const double rate = 2.0 * std::numbers::pi / motion.period;
    return motion.amplitude * rate * elementary::cos(rate * time) * motion.axis;
  }
  // The mean over the step brings the wall to its position at the end.
  return (prescribed_displacement(system, body, time + h) -
          prescribed_displacement(system, body, time)) /
         h;
}

BlockDiagonalMatrix compute_mass_matrix(const System& system, const SystemKinematics& kinematics) {
  BlockDiagonalMatrix result;
  for (std::size_t a = 0; a < system.articulations().size(); ++a) {
    const Articulation& tree = system.articulations()[a];
    tree.mass_matrix(kinematics.trees[a],
                     result.add_zero_block(tree.num_velocities(), tree.dof_parents()));
  }
  return result;
}

Eigen::MatrixXd body_jacobian(const System& system, const SystemKinematics& kinematics, int body,
                              const Eigen::Vector3d& p_W) {
  const Body& b = system.bodies()[static_cast<std::size_t>(body)];
  if (b.articulation < 0) return Eigen::MatrixXd(6, 0);
  const auto a = static_cast<std::size_t>(b.articulation);
  return system.articulations()[a].frame_jacobian(kinematics.trees[a], b.link, p_W);
}

Vector6d body_velocity(const System& system, const SystemKinematics& kinematics, int body,
                       const Eigen::Vector3d& p_W, const Eigen::Ref<const Eigen::VectorXd>& v) {
  const Body& b = system.bodies()[static_cast<std::size_t>(body)];
  if (b.articulation < 0) {
    Vector6d V = Vector6d::Zero();
    V.tail<3>() = prescribed_velocity(system, b, kinematics.time, 0.0);
    return V;
  }
  const auto a = static_cast<std::size_t>(b.articulation);
  const Articulation& tree = system.articulations()[a];
  return tree.frame_velocity(kinematics.trees[a], b.link, p_W,
                             v.segment(system.v_offset(b.articulation), tree.num_velocities()));
}

double kinetic_energy(const System& system, const SystemKinematics& kinematics) {
  double sum = 0.0;
  for (std::size_t a = 0; a < system.articulations().size(); ++a) {
    sum += system.articulations()[a].kinetic_energy(kinematics.trees[a]);
  }
  return sum;
}

double gravity_energy(const System& system, const SystemKinematics& kinematics) {
  double sum = 0.0;
  for (std::size_t a = 0; a < system.articulations().size(); ++a) {
    sum += system.articulations()[a].potential_energy(kinematics.trees[a], system.gravity());
  }
  return sum;
}

double spring_stretch(const JointDynamics& spring, double position) {
  return position - std::clamp(position, spring.rest_position, spring.rest_position + spring.slack);
}

double spring_energy(const System& system, const SystemKinematics& kinematics) {
  double sum = 0.0;
  for (const CoordinateDynamics& coordinate : system.coordinate_dynamics()) {
    const JointDynamics& d = coordinate.dynamics;
    if (d.stiffness == 0.0) continue;
    // 1/2 k (q - rest)^2 of each joint spring.
    const double stretch = spring_stretch(d, coordinate_position(coordinate, kinematics));
    sum += 0.5 * d.stiffness * stretch * stretch;
  }
  return sum;
}

}  // namespace amontons
