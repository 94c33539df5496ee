#include "amontons/simulation/forces.h"

#include "amontons/dynamics/gyroscopic.h"
#include "amontons/math/block_diagonal_factor.h"
#include "amontons/math/rotation.h"

#include <cmath>
#include <vector>

namespace amontons {
namespace {

// Constant and commanded wrenches as generalized forces, [nv].
Eigen::VectorXd wrench_forces(const System& system, const SystemKinematics& kinematics) {
  Eigen::VectorXd result = Eigen::VectorXd::Zero(system.num_velocities());
  const auto add = [&](const WrenchDrive& wrench) {
    const Body& body = system.bodies()[static_cast<std::size_t>(wrench.body)];
    const Pose& X_WB = kinematics.X_WB[static_cast<std::size_t>(wrench.body)];
    const Eigen::MatrixXd jacobian =
        body_jacobian(system, kinematics, wrench.body, X_WB * wrench.at_B);
    Vector6d force;
    force << wrench.torque_W, wrench.force_W;
    result.segment(system.v_offset(body.articulation), jacobian.cols()) +=
        jacobian.transpose() * force;
  };
  for (const WrenchDrive& wrench : system.wrenches()) add(wrench);
  for (const WrenchDrive& wrench : system.commands().wrenches) add(wrench);
  return result;
}

// A body alone on a free joint: momentum balance about its center, so that both momenta are those
// of the new orientation.
Vector6d free_body_velocity(const Link& link, const ArticulationKinematics& kinematics,
                            const Eigen::Ref<const Eigen::VectorXd>& v,
                            const Eigen::Ref<const Eigen::VectorXd>& impulse, double h) {
  const Pose& X_WB = kinematics.X_WB[0];
  const double m = link.inertia.mass;
  const Eigen::Vector3d c = X_WB.rotation * link.inertia.center_of_mass;
  const Eigen::Matrix3d I = X_WB.rotation * link.inertia.inertia * X_WB.rotation.transpose();
  const Eigen::Vector3d w = v.head<3>();
  const Eigen::Vector3d torque_impulse = impulse.head<3>() - c.cross(impulse.tail<3>());
  const Eigen::Vector3d w_next = implicit_gyroscopic_velocity(I, I * w + torque_impulse, w, h);
  const Eigen::Vector3d v_center = v.tail<3>() + w.cross(c) + impulse.tail<3>() / m;
  const Eigen::Vector3d c_next = rotation_from_vector(h * w_next) * c;
  Vector6d result;
  result << w_next, v_center - w_next.cross(c_next);
  return result;
}

bool is_alone_on(const Articulation& tree, JointType type) {
  return tree.num_links() == 1 && tree.links()[0].joint == type;
}

void compute_springs_and_dampers(const System& system, const Eigen::Ref<const Eigen::VectorXd>& q,
                                 double h, FreeMotion& motion) {
  motion.spring_impulse.setZero(system.num_velocities());
  motion.spring_gain.setZero(system.num_velocities());
  motion.damper_gain.setZero(system.num_velocities());
  for (const CoordinateDynamics& coordinate : system.coordinate_dynamics()) {
    const JointDynamics& d = coordinate.dynamics;
    motion.damper_gain[coordinate.v_index] = h * d.viscous_friction;
    if (d.stiffness == 0.0) continue;
    motion.spring_gain[coordinate.v_index] = h * h * d.stiffness;
    motion.spring_impulse[coordinate.v_index] =
        h * d.stiffness * (d.rest_position - q[coordinate.q_index]);
  }
}

// Explicit Coriolis forces and implicit servos: (M + gains) v_free = M v + impulse + servo impulse.
class ServoTree {
 public:
  ServoTree(const System& system, Eigen::Index v_offset, const Eigen::Ref<const Eigen::VectorXd>& q,
            Eigen::Index num_velocities, double h)
      : v_offset_(v_offset), h_(h) {
    for (const ServoDrive& servo : system.servos()) {
      if (servo.v_index < v_offset || servo.v_index >= v_offset + num_velocities) continue;
      servos_.push_back({&servo, q[servo.q_index], 0});
    }
  }

  // Servos start implicit; one that would exceed its limit gives the limit instead. Each pass
  // saturates at least one, so the loop ends.
  void solve(const Eigen::MatrixXd& M, const std::vector<int>& parents,
             const Eigen::VectorXd& momentum, Eigen::Ref<Eigen::VectorXd> v_free,
             BlockDiagonalMatrix& mass_matrix) {
    do {
      Eigen::MatrixXd M_implicit = M;
      Eigen::VectorXd right = momentum;
      for (const Entry& entry : servos_) {
        const Eigen::Index row = entry.servo->v_index - v_offset_;
        M_implicit(row, row) += gain(entry);
        right[row] += impulse(entry);
      }
      BlockDiagonalMatrix block;
      block.add_block(M_implicit, parents);
      v_free = BlockDiagonalFactor(block).solve(right);
      if (saturate_one_or_more(v_free)) continue;
      mass_matrix.add_block(M_implicit, parents);
      return;
    } while (true);
  }

  void record(FreeMotion& motion) const {
    for (const Entry& entry : servos_) {
      const Eigen::Index row = entry.servo->v_index;
      (entry.saturation == 0 ? motion.servo_impulse : motion.actuation_impulse)[row] +=
          impulse(entry);
      motion.servo_gain[row] += gain(entry);
    }
  }

 private:
  struct Entry {
    const ServoDrive* servo;
    double position;
    int saturation;  // -1, 0, +1
  };

  double impulse(const Entry& entry) const {
    const ServoDrive& s = *entry.servo;
    if (entry.saturation != 0) return entry.saturation * h_ * s.effort_limit;
    return h_ * (s.kp * (s.target - entry.position) + s.kd * s.target_rate);
  }
  double gain(const Entry& entry) const {
    return entry.saturation != 0 ? 0.0 : h_ * entry.servo->kd + h_ * h_ * entry.servo->kp;
  }
  bool saturate_one_or_more(const Eigen::Ref<const Eigen::VectorXd>& v_free) {
    bool changed = false;
    for (Entry& entry : servos_) {
      if (entry.saturation != 0) continue;
      const double effort =
          (impulse(entry) - gain(entry) * v_free[entry.servo->v_index - v_offset_]) / h_;
      if (std::abs(effort) <= entry.servo->effort_limit) continue;
      entry.saturation = effort > 0.0 ? 1 : -1;
      changed = true;
    }
    return changed;
  }

  std::vector<Entry> servos_;
  Eigen::Index v_offset_;
  double h_;
};

}  // namespace

Eigen::VectorXd FreeMotion::drive_impulse(const Eigen::VectorXd& v_end) const {
  return actuation_impulse - wrench_impulse + servo_impulse + spring_impulse -
         (servo_gain + spring_gain + damper_gain).cwiseProduct(v_end);
}

void compute_free_motion(const System& system, const SystemKinematics& kinematics,
                         const Eigen::Ref<const Eigen::VectorXd>& q,
                         const Eigen::Ref<const Eigen::VectorXd>& v, double h, FreeMotion& motion) {
  const Eigen::Index nv = system.num_velocities();
  motion.mass_matrix.clear();
  motion.velocity.resize(nv);
  motion.gravity_impulse.resize(nv);
  motion.wrench_impulse = h * wrench_forces(system, kinematics);
  motion.actuation_impulse = motion.wrench_impulse + h * system.commands().effort;
  for (const EffortDrive& drive : system.efforts()) {
    motion.actuation_impulse[drive.v_index] += h * drive.effort;
  }
  motion.servo_impulse.setZero(nv);
  motion.servo_gain.setZero(nv);
  compute_springs_and_dampers(system, q, h, motion);

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
      motion.velocity.segment<6>(v0) = free_body_velocity(tree.links()[0], at, v_tree, impulse, h);
      continue;
    }
    const Eigen::VectorXd impulse = motion.gravity_impulse.segment(v0, n) +
                                    motion.actuation_impulse.segment(v0, n) +
                                    motion.spring_impulse.segment(v0, n);
    const Eigen::VectorXd gain =
        motion.spring_gain.segment(v0, n) + motion.damper_gain.segment(v0, n);
    Eigen::MatrixXd M = tree.mass_matrix(at);
    if (is_alone_on(tree, JointType::Spherical) && gain.isZero(0.0)) {
      // M is the inertia about the fixed pivot, in the frame F of v.
      motion.velocity.segment(v0, n) =
          implicit_gyroscopic_velocity(M, M * v_tree + impulse, v_tree, h);
      motion.mass_matrix.add_block(M, tree.dof_parents());
    } else {
      const Eigen::VectorXd momentum = M * v_tree + impulse - h * tree.bias_forces(at, v_tree);
      M.diagonal() += gain;
      ServoTree servos(system, v0, q, n, h);
      servos.solve(M, tree.dof_parents(), momentum, motion.velocity.segment(v0, n),
                   motion.mass_matrix);
      servos.record(motion);
    }
  }
}

}  // namespace amontons
