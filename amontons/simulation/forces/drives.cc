#include "amontons/simulation/forces/drives.h"

#include "amontons/simulation/forces/mean_wrench.h"
#include "amontons/simulation/forces/servo_target.h"

#include <algorithm>
#include <cstddef>

namespace amontons {
namespace {

/// Returns the mean effort of a drive over [time, time + h].
double mean_effort(const EffortDrive& drive, double time, double h) {
  return drive.table ? drive.table->mean(time, time + h) : drive.effort;
}

/// Returns the effort of a muscle with its mean activation over [time, time + h].
double mean_effort(const MuscleDrive& drive, const SystemKinematics& kinematics,
                   const Eigen::Ref<const Eigen::VectorXd>& v, double time, double h) {
  return muscle_effort(drive, kinematics, v, drive.mean_activation(time, time + h));
}

/// Computes generalized forces [nv] of the scene's and commanded wrenches, and of efforts and
/// muscles along joints that are rows of J and along tendons.
void compute_wrench_forces(const System& system, const SystemKinematics& kinematics,
                           const Eigen::Ref<const Eigen::VectorXd>& v, double time, double h,
                           Eigen::VectorXd& result) {
  result.setZero(system.num_velocities());
  const auto add = [&](const WrenchDrive& wrench) {
    const Body& body = system.bodies()[static_cast<std::size_t>(wrench.body)];
    const Pose& X_WB = kinematics.X_WB[static_cast<std::size_t>(wrench.body)];
    // Generalized force J' (torque, force) at the point of application.
    const Eigen::MatrixXd jacobian =
        body_jacobian(system, kinematics, wrench.body, X_WB * wrench.at_B);
    const Vector6d force = mean_wrench_W(wrench, axes_of(wrench, kinematics.X_WB), time, h);
    result.segment(system.v_offset(body.articulation), jacobian.cols()) +=
        jacobian.transpose() * force;
  };
  for (const WrenchDrive& wrench : system.wrenches()) add(wrench);
  for (const WrenchDrive& wrench : system.commands().wrenches) add(wrench);
  if (system.loop_coordinates().empty()) return;
  // Along rows of J an effort acts through the Jacobian of the loop coordinate.
  result += kinematics.loops.jacobian.transpose_times(
      explicit_loop_efforts(system, system.commands(), kinematics, v, time, h));
}

/// Writes implicit springs and dampers of joints that are coordinates.
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
    // p = -h k (q + h v+ - rest): the part with v+ is a gain.
    motion.spring_gain[coordinate.v_index] = h * h * d.stiffness;
    motion.spring_impulse[coordinate.v_index] =
        h * d.stiffness * (d.rest_position - q[coordinate.q_index]);
  }
}

/// Holds an implicit servo in a step: the impulse - gain v+ [N s or N m s].
struct ImplicitServo {
  double impulse = 0.0, gain = 0.0;
};

/// Returns a servo along a coordinate of a tree, as if it had no effort limits.
ImplicitServo implicit_servo(const ServoDrive& servo, const Eigen::Ref<const Eigen::VectorXd>& q,
                             double time, double h) {
  const ServoTarget target = servo_target(servo, time, h);
  return {h * (servo.kp * (target.position - q[servo.q_index]) + servo.kd * target.rate),
          h * servo.kd + h * h * servo.kp};
}

/// Returns true if a servo is a bounded row and no part of M.
bool is_row(std::size_t servo, const FreeMotionOptions& options) {
  return !options.servo_rows.empty() && options.servo_rows[servo] != 0;
}

/// Adds the impulses and gains of implicit servos for the whole system.
void add_servos(const System& system, const Eigen::Ref<const Eigen::VectorXd>& q, double time,
                double h, const FreeMotionOptions& options, FreeMotion& motion) {
  for (std::size_t i = 0; i < system.servos().size(); ++i) {
    const ServoDrive& servo = system.servos()[i];
    if (servo.loop >= 0 || is_row(i, options)) continue;
    const ImplicitServo own = implicit_servo(servo, q, time, h);
    motion.servo_impulse[servo.v_index] += own.impulse;
    motion.servo_gain[servo.v_index] += own.gain;
  }
}

}  // namespace

void expect_rows(const System& system, const Eigen::Ref<const Eigen::VectorXd>& q,
                 const Eigen::Ref<const Eigen::VectorXd>& v, double time, double h,
                 const FreeMotionOptions& options, FreeMotion& motion) {
  motion.expected_impulse = options.expected->contacts;
  motion.expected_gain.setZero(system.num_velocities());
  motion.expected_friction.setZero(system.num_velocities());
  for (const CoordinateDynamics& coordinate : system.coordinate_dynamics()) {
    if (coordinate.loop >= 0) continue;
    motion.expected_friction[coordinate.v_index] = h * coordinate.dynamics.coulomb_friction;
  }
  for (std::size_t i = 0; i < system.servos().size(); ++i) {
    const ServoDrive& servo = system.servos()[i];
    if (servo.loop >= 0 || !is_row(i, options)) continue;
    const ImplicitServo own = implicit_servo(servo, q, time, h);
    const double unlimited = own.impulse - own.gain * v[servo.v_index];
    const double limited = h * servo.effort.clamp(unlimited / h);
    const bool is_within = limited == unlimited;
    motion.expected_impulse[servo.v_index] += is_within ? own.impulse : limited;
    if (is_within) motion.expected_gain[servo.v_index] += own.gain;
  }
}

double muscle_effort(const MuscleDrive& drive, const SystemKinematics& kinematics,
                     const Eigen::Ref<const Eigen::VectorXd>& v, double activation) {
  const JointMuscle& law = drive.law;
  const double force =
      std::clamp(muscle_force(law.muscle, law.gear * coordinate_position(drive, kinematics),
                              law.gear * coordinate_rate(drive, kinematics, v), activation),
                 law.least_force, law.largest_force);
  return law.effort.clamp(law.gear * force);
}

Eigen::VectorXd explicit_loop_efforts(const System& system, const Commands& commands,
                                      const SystemKinematics& kinematics,
                                      const Eigen::Ref<const Eigen::VectorXd>& v, double time,
                                      double h) {
  Eigen::VectorXd efforts = commands.loop_effort;
  for (const MuscleDrive& drive : system.muscles()) {
    if (drive.loop >= 0) efforts[drive.loop] += mean_effort(drive, kinematics, v, time, h);
  }
  for (const EffortDrive& drive : system.efforts()) {
    if (drive.loop >= 0) efforts[drive.loop] += mean_effort(drive, time, h);
  }
  return efforts;
}

void compute_drives(const System& system, const SystemKinematics& kinematics,
                    const Eigen::Ref<const Eigen::VectorXd>& q,
                    const Eigen::Ref<const Eigen::VectorXd>& v, double time, double h,
                    const FreeMotionOptions& options, FreeMotion& motion) {
  compute_wrench_forces(system, kinematics, v, time, h, motion.wrench_impulse);
  motion.wrench_impulse *= h;
  // Explicit impulses: wrenches, muscles and efforts.
  motion.actuation_impulse = motion.wrench_impulse + h * system.commands().effort;
  for (const EffortDrive& drive : system.efforts()) {
    if (drive.loop < 0) motion.actuation_impulse[drive.v_index] += h * mean_effort(drive, time, h);
  }
  for (const MuscleDrive& drive : system.muscles()) {
    if (drive.loop >= 0) continue;
    motion.actuation_impulse[drive.v_index] += h * mean_effort(drive, kinematics, v, time, h);
  }
  // Implicit ones: servos within their limits, springs, dampers.
  motion.servo_impulse.setZero(system.num_velocities());
  motion.servo_gain.setZero(system.num_velocities());
  compute_springs_and_dampers(system, q, h, options.friction == JointFriction::Coupled, motion);
  add_servos(system, q, time, h, options, motion);
}

}  // namespace amontons
