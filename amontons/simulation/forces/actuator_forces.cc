#include "amontons/simulation/forces/actuator_forces.h"

#include "amontons/simulation/forces/drives.h"
#include "amontons/simulation/forces/mean_wrench.h"
#include "amontons/simulation/forces/servo_target.h"

#include <Eigen/Core>

namespace amontons {
namespace {

/// Computes what drives exert at the end of a step.
class Drives {
 public:
  Drives(const System& system, const StepReport& report, const SystemKinematics& at_end)
      : system_(system), report_(report), at_(at_end), time_(report.end->time) {}

  double effort_of(const ServoDrive& servo) const {
    // The mean rate of a trajectory over the step is the target, as it is for the step.
    const double h = report_.step;
    const ServoTarget target = servo_target(servo, time_ - h, h);
    return servo.effort.clamp(servo.kp * (target.position - coordinate_position(servo, at_)) +
                              servo.kd *
                                  (target.rate - coordinate_rate(servo, at_, report_.end->v)));
  }
  double effort_of(const EffortDrive& drive) const {
    return drive.table ? drive.table->value(time_) : drive.effort;
  }
  double effort_of(const MuscleDrive& drive) const {
    return muscle_effort(drive, at_, report_.end->v, drive.activation(time_));
  }

  /// Calls add(drive, effort) for each servo, effort and muscle.
  template <typename Add>
  void visit(const Add& add) const {
    for (const ServoDrive& drive : system_.servos()) add(drive, effort_of(drive));
    for (const EffortDrive& drive : system_.efforts()) add(drive, effort_of(drive));
    for (const MuscleDrive& drive : system_.muscles()) add(drive, effort_of(drive));
  }

  /// Returns the efforts along all loop coordinates, commanded ones included [N m or N].
  Eigen::VectorXd along_loops() const {
    Eigen::VectorXd efforts = report_.commands.loop_effort;
    if (efforts.size() == 0) {  // no step has been made
      efforts.setZero(static_cast<Eigen::Index>(system_.loop_coordinates().size()));
    }
    visit([&](const auto& drive, double effort) {
      if (drive.loop >= 0) efforts[drive.loop] += effort;
    });
    return efforts;
  }

  /// Returns the effort that a program commands at a place, zero before the first step.
  double commanded(int v_index, int loop) const {
    const Eigen::VectorXd& all = loop >= 0 ? report_.commands.loop_effort : report_.commands.effort;
    const int index = loop >= 0 ? loop : v_index;
    return index >= 0 && all.size() > index ? all[index] : 0.0;
  }

  /// Returns the effort along an entry of v.
  double along_coordinate(int v_index) const {
    double sum = commanded(v_index, -1);
    visit([&](const auto& drive, double effort) {
      if (drive.loop < 0 && drive.v_index == v_index) sum += effort;
    });
    // Tendons, and actuators on bodies.
    if (!system_.loop_coordinates().empty()) {
      sum += at_.loops.jacobian.transpose_times(along_loops())[v_index];
    }
    for (const WrenchDrive& wrench : system_.wrenches()) {
      if (wrench.by_joint) sum += along_coordinate(wrench, v_index);
    }
    return sum;
  }

  /// Returns the effort along a coordinate of a loop joint or tendon, and of the tendons that move
  /// that joint.
  double along_loop(int loop) const {
    const Eigen::VectorXd efforts = along_loops();
    double sum = efforts[loop];
    for (std::size_t i = 0; i < system_.loop_coordinates().size(); ++i) {
      for (const WeighedCoordinate& term : system_.loop_coordinates()[i].terms) {
        if (term.place.loop != loop) continue;
        sum += term.coefficient * efforts[static_cast<Eigen::Index>(i)];
      }
    }
    return sum;
  }

 private:
  double along_coordinate(const WrenchDrive& wrench, int v_index) const {
    const int tree = system_.bodies()[static_cast<std::size_t>(wrench.body)].articulation;
    const Eigen::Index column = v_index - system_.v_offset(tree);
    const Pose& X_WB = at_.X_WB[static_cast<std::size_t>(wrench.body)];
    const Eigen::MatrixXd jacobian = body_jacobian(system_, at_, wrench.body, X_WB * wrench.at_B);
    if (column < 0 || column >= jacobian.cols()) return 0.0;
    return jacobian.col(column).dot(wrench_at_W(wrench, axes_of(wrench, at_.X_WB), time_));
  }

  const System& system_;
  const StepReport& report_;
  const SystemKinematics& at_;
  double time_;
};

}  // namespace

double actuator_force(const System& system, const StepReport& report,
                      const SystemKinematics& at_end, const SystemSensor& sensor) {
  const ModelSensor& own = sensor.sensor;
  if (own.signal) return own.signal->value(report.end->time);
  const Drives drives(system, report, at_end);
  const std::string actuator = sensor.model + "/" + own.object;
  double effort = 0.0;
  for (const ServoDrive& drive : system.servos()) {
    if (drive.actuator == actuator) effort += drives.effort_of(drive);
  }
  for (const EffortDrive& drive : system.efforts()) {
    if (drive.actuator == actuator) effort += drives.effort_of(drive);
  }
  for (const MuscleDrive& drive : system.muscles()) {
    if (sensor.model + "/" + drive.law.actuator == actuator) effort += drives.effort_of(drive);
  }
  if (!own.reference.empty()) {
    const int index = system.find_joint(sensor.model + "/" + own.reference);
    const JointCoordinate& joint = system.joints()[static_cast<std::size_t>(index)];
    effort += drives.commanded(joint.v_offset, joint.loop);
  }
  return effort / own.gear;
}

double actuator_effort(const System& system, const StepReport& report,
                       const SystemKinematics& at_end, const JointCoordinate& joint) {
  const Drives drives(system, report, at_end);
  return joint.v_offset >= 0 ? drives.along_coordinate(joint.v_offset)
                             : drives.along_loop(joint.loop);
}

}  // namespace amontons
