#include "amontons/simulation/smooth_forces.h"

namespace amontons {
namespace {

bool is_of(const System& system, int v_index, int articulation) {
  return v_index >= 0 && system.articulation_of(v_index) == articulation;
}

bool is_on(const System& system, int body, int articulation) {
  return body >= 0 && system.bodies()[static_cast<std::size_t>(body)].articulation == articulation;
}

}  // namespace

bool is_smooth(const System& system, int articulation, JointFriction friction) {
  for (const LoopJoint& joint : system.loop_joints()) {
    if (is_on(system, joint.body_a, articulation) || is_on(system, joint.body_b, articulation)) {
      return false;
    }
  }
  for (const CoordinateCoupling& coupling : system.couplings()) {
    if (is_of(system, coupling.a.v_index, articulation) ||
        (coupling.b && is_of(system, coupling.b->v_index, articulation))) {
      return false;
    }
  }
  for (const PrescribedCoordinate& own : system.prescribed()) {
    if (is_of(system, own.place.v_index, articulation)) return false;
  }
  for (const ServoDrive& servo : system.servos()) {
    if (is_of(system, servo.v_index, articulation)) return false;
  }
  for (const CoordinateDynamics& own : system.coordinate_dynamics()) {
    if (!is_of(system, own.v_index, articulation)) continue;
    const JointDynamics& d = own.dynamics;
    const bool rubs = d.coulomb_friction > 0.0 ||
                      (d.viscous_friction > 0.0 && friction != JointFriction::Coupled);
    if (d.limits || rubs) return false;
  }
  return true;
}

void compute_smooth_forces(const System& system, int articulation,
                           const ArticulationKinematics& kinematics,
                           const Eigen::Ref<const Eigen::VectorXd>& q,
                           const Eigen::Ref<const Eigen::VectorXd>& v, double time,
                           Eigen::VectorXd& forces) {
  const Articulation& tree = system.articulations()[static_cast<std::size_t>(articulation)];
  const int v0 = system.v_offset(articulation), q0 = system.q_offset(articulation);
  forces = system.commands().effort.segment(v0, tree.num_velocities());
  for (const EffortDrive& drive : system.efforts()) {
    if (!is_of(system, drive.v_index, articulation)) continue;
    forces[drive.v_index - v0] += drive.table ? drive.table->value(time) : drive.effort;
  }
  for (const CoordinateDynamics& own : system.coordinate_dynamics()) {
    if (!is_of(system, own.v_index, articulation)) continue;
    const JointDynamics& d = own.dynamics;
    forces[own.v_index - v0] -= d.viscous_friction * v[own.v_index - v0];
    if (d.stiffness == 0.0) continue;
    forces[own.v_index - v0] -= d.stiffness * (q[own.q_index - q0] - d.rest_position);
  }
  const auto add = [&](const WrenchDrive& wrench) {
    if (!is_on(system, wrench.body, articulation)) return;
    const Body& body = system.bodies()[static_cast<std::size_t>(wrench.body)];
    const Pose X_WB = kinematics.X_WB[static_cast<std::size_t>(body.link)] * body.X_LB;
    Vector6d force;
    force << wrench.torque_W, wrench.force_W;
    for (std::size_t k = 0; k < wrench.table.size(); ++k) {
      force[static_cast<Eigen::Index>(k < 3 ? k + 3 : k - 3)] = wrench.table[k].value(time);
    }
    forces += tree.frame_jacobian(kinematics, body.link, X_WB * wrench.at_B).transpose() * force;
  };
  for (const WrenchDrive& wrench : system.wrenches()) add(wrench);
  for (const WrenchDrive& wrench : system.commands().wrenches) add(wrench);
}

}  // namespace amontons
