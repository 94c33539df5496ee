#include "amontons/simulation/sensors.h"

#include "amontons/math/rotation.h"
#include "amontons/simulation/stepping/step_kinematics.h"

#include <Eigen/Geometry>

namespace amontons {
namespace {

/// Returns the impulse of contact i on its body B, in W [N s].
Eigen::Vector3d impulse_W(const StepReport& report, std::size_t i) {
  return contact_frame(report.problem.contacts[i].normal_W) *
         report.solution.impulses.segment<3>(ContactProblem::row(i));
}

}  // namespace

NoStepError::NoStepError()
    : NoStepError(
          "there is no step to read: forces and accelerations are means over the last "
          "step, so take one first (a state that was set, and a step that failed, leave "
          "none)") {}

void require_step(const StepReport& report) {
  if (report.start == nullptr) throw NoStepError();
  if (report.step == 0.0) {
    throw NoStepError(
        "forces and accelerations are means over the last step, which was an impact and took no "
        "time: read its impulses");
  }
}

Wrench contact_wrench(const System& system, const StepReport& report, int body,
                      const StepKinematics* known) {
  require_step(report);
  SystemKinematics own;
  const SystemKinematics& start = start_kinematics(system, report, known, own);
  // Contacts and the torque's reference point both belong to the start of the step.
  const Eigen::Vector3d origin = start.X_WB[static_cast<std::size_t>(body)].translation;
  Wrench wrench;
  for (std::size_t i = 0; i < report.problem.num_contacts(); ++i) {
    const Contact& contact = report.problem.contacts[i];
    if (contact.body_a != body && contact.body_b != body) continue;
    // Action and reaction: body A takes the opposite impulse.
    const double sign = contact.body_b == body ? 1.0 : -1.0;
    const Eigen::Vector3d force = sign / report.step * impulse_W(report, i);
    wrench.force_W += force;
    wrench.torque_W += (contact.position_W - origin).cross(force);
  }
  return wrench;
}

Eigen::Vector3d contact_force(const StepReport& report, int body_a, int body_b) {
  require_step(report);
  Eigen::Vector3d force = Eigen::Vector3d::Zero();
  for (std::size_t i = 0; i < report.problem.num_contacts(); ++i) {
    const Contact& contact = report.problem.contacts[i];
    if (contact.body_a == body_a && contact.body_b == body_b) force += impulse_W(report, i);
    if (contact.body_a == body_b && contact.body_b == body_a) force -= impulse_W(report, i);
  }
  return force / report.step;
}

Eigen::VectorXd joint_efforts(const StepReport& report) {
  require_step(report);
  // h tau = drives + J' c; servos at their bound, springs and dampers may be bounded rows.
  Eigen::VectorXd impulse = report.drive_impulse;
  Eigen::VectorXd drives = report.solution.bounded_impulses;
  for (Eigen::Index i = 0; i < drives.size(); ++i) {
    const BoundedRowKind kind = report.problem.bounded_rows[static_cast<std::size_t>(i)].kind;
    if (kind == BoundedRowKind::Limit || kind == BoundedRowKind::Friction) drives[i] = 0.0;
  }
  if (drives.size() > 0 && !drives.isZero(0.0)) {
    impulse += report.problem.bounded_jacobian.transpose_times(drives);
  }
  if (report.solution.joint_impulses.size() > 0) {
    impulse += report.problem.joint_jacobian.transpose_times(report.solution.joint_impulses);
  }
  return impulse / report.step;
}

Eigen::VectorXd joint_row_forces(const StepReport& report) {
  require_step(report);
  return report.solution.joint_impulses / report.step;
}

ImuReading imu_reading(const System& system, const StepReport& report, int body, const Pose& X_BF,
                       const StepKinematics* known) {
  require_step(report);
  const auto b = static_cast<std::size_t>(body);
  SystemKinematics own;
  // Velocity of the unit's origin, in W.
  const auto twist_at = [&](const SystemKinematics& at, const State& state) -> Vector6d {
    return body_velocity(system, at, body, at.X_WB[b] * X_BF.translation, state.v);
  };
  const Vector6d before = twist_at(start_kinematics(system, report, known, own), *report.start);
  const SystemKinematics& end = end_kinematics(system, report, known, own);
  const Vector6d after = twist_at(end, *report.end);
  // An accelerometer measures a - g.
  const Eigen::Matrix3d R_BW = (end.X_WB[b].rotation * X_BF.rotation).transpose();
  const Eigen::Vector3d acceleration = (after.tail<3>() - before.tail<3>()) / report.step;
  return {R_BW * (acceleration - system.gravity()), R_BW * after.head<3>()};
}

}  // namespace amontons
