#pragma once

#include "tests/io/mjcf/mujoco_oracle.h"

#include <algorithm>
#include <random>
#include <string>

// Forces of the actuators, springs and dampers of an MJCF file by their laws, beside MuJoCo's.

namespace amontons::test {

/// Holds position and rate of a joint's coordinate or of a tendon, and its row [1 x nv].
struct Along {
  double position = 0.0, rate = 0.0;
  Eigen::VectorXd row;
};

inline Along along(const MujocoTwin& twin, const std::string& name) {
  const int index = twin.system->find_joint("m/" + name);
  REQUIRE(index >= 0);
  const JointCoordinate& joint = twin.system->joints()[static_cast<std::size_t>(index)];
  Along result;
  result.row.setZero(twin.v.size());
  if (joint.loop < 0) {
    result.row[joint.v_offset] = 1.0;
    result.position = twin.q[joint.q_offset];
  } else {
    Eigen::VectorXd unit = Eigen::VectorXd::Zero(twin.kinematics.loops.position.size());
    unit[joint.loop] = 1.0;
    result.row = twin.kinematics.loops.jacobian.transpose_times(unit);
    result.position = twin.kinematics.loops.position[joint.loop];
  }
  result.rate = result.row.dot(twin.v);
  return result;
}

/// Returns the generalized forces of all actuators of the file at q and v, at time zero.
inline Eigen::VectorXd our_actuators(const MujocoTwin& twin) {
  Eigen::VectorXd forces = Eigen::VectorXd::Zero(twin.v.size());
  for (const JointServo& servo : twin.ours().servos) {
    const Along at = along(twin, servo.joint);
    const double effort =
        servo.kp * (servo.target - at.position) + servo.kd * (servo.target_rate - at.rate);
    forces += at.row * servo.effort.clamp(effort);
  }
  for (const JointEffort& effort : twin.ours().efforts) {
    forces += along(twin, effort.joint).row * effort.effort;
  }
  for (const JointMuscle& own : twin.ours().muscles) {
    const Along at = along(twin, own.joint);
    const double force = muscle_force(own.muscle, own.gear * at.position, own.gear * at.rate,
                                      activation_of(own, 0.0));
    forces += at.row * own.gear * std::clamp(force, own.least_force, own.largest_force);
  }
  for (const BodyWrench& wrench : twin.ours().wrenches) {
    const int body = twin.system->find_body("m/" + wrench.body);
    REQUIRE(body >= 0);
    const Pose& X_WB = twin.kinematics.X_WB[static_cast<std::size_t>(body)];
    Vector6d force;
    force << wrench.torque_W, wrench.force_W;
    if (!wrench.axes.empty()) {
      const int axes = twin.system->find_body("m/" + wrench.axes);
      REQUIRE(axes >= 0);
      const Eigen::Matrix3d& R_WA = twin.kinematics.X_WB[static_cast<std::size_t>(axes)].rotation;
      force << R_WA * wrench.torque_W, R_WA * wrench.force_W;
    }
    const int tree = twin.system->bodies()[static_cast<std::size_t>(body)].articulation;
    const Eigen::MatrixXd J =
        body_jacobian(*twin.system, twin.kinematics, body, X_WB * wrench.at_B);
    forces.segment(twin.system->v_offset(tree), J.cols()) += J.transpose() * force;
  }
  return forces;
}

/// Checks that all actuators exert what MuJoCo's do, at the present pose and from it on in random
/// ones. MuJoCo's exert more than `least` in each.
inline void check_actuators(MujocoTwin& twin, unsigned seed, int num_poses, double least = -1.0) {
  std::mt19937 engine(seed);
  for (int k = 0; k < num_poses; ++k) {
    const Eigen::VectorXd theirs =
        twin.to_mujoco.transpose() *
        Eigen::Map<const Eigen::VectorXd>(twin.data->qfrc_actuator, twin.model->nv);
    CHECK(theirs.norm() > least);
    CHECK((our_actuators(twin) - theirs).norm() < 1e-9 * (1.0 + theirs.norm()));
    twin.randomize(engine);
  }
}

/// Returns the springs and dampers of joints and tendons at q and v.
inline Eigen::VectorXd our_springs(const MujocoTwin& twin) {
  Eigen::VectorXd forces = Eigen::VectorXd::Zero(twin.v.size());
  const auto add = [&](const std::string& name, const JointDynamics& d) {
    const Along at = along(twin, name);
    forces -=
        at.row * (d.stiffness * spring_stretch(d, at.position) + d.viscous_friction * at.rate);
  };
  for (const ModelJoint* joint : twin.joints) {
    if (num_velocities(joint->type) == 1) add(joint->name, joint->dynamics);
  }
  for (const ModelTendon& tendon : twin.ours().tendons) add(tendon.name, tendon.dynamics);
  return forces;
}

/// Brings MuJoCo to the controls and activations of a keyframe.
inline void set_key(MujocoTwin& twin, const char* name) {
  const mjModel& m = *twin.model;
  const int key = mj_name2id(&m, mjOBJ_KEY, name);
  REQUIRE(key >= 0);
  std::copy_n(m.key_ctrl + key * m.nu, m.nu, twin.data->ctrl);
  std::copy_n(m.key_act + key * m.na, m.na, twin.data->act);
}

}  // namespace amontons::test
