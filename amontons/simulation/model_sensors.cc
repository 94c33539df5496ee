#include "amontons/simulation/model_sensors.h"

#include "amontons/geometry/ray_cast.h"
#include "amontons/math/named_index.h"
#include "amontons/math/rotation.h"
#include "amontons/simulation/contact_readings.h"
#include "amontons/simulation/forces/actuator_forces.h"
#include "amontons/simulation/geometry_queries.h"
#include "amontons/simulation/joint_wrench.h"
#include "amontons/simulation/sensor_readings.h"
#include "amontons/simulation/sensors.h"
#include "amontons/simulation/subtree_motion.h"
#include "amontons/simulation/system/kinematics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace amontons {
namespace {

/// Finds a frame. @throws std::invalid_argument if there is none.
const SystemFrame& find_frame(const System& system, const std::string& name) {
  const int index = index_of_named("frame", system.frames(), name, &SystemFrame::name);
  return system.frames()[static_cast<std::size_t>(index)];
}

/// Returns a quaternion w x y z with w >= 0.
Eigen::Vector4d upper_half(const Eigen::Vector4d& wxyz) {
  return wxyz[0] < 0.0 ? Eigen::Vector4d(-wxyz) : wxyz;
}

/// Returns true for unit vectors, quaternions and distances of shapes, which no cutoff bounds
/// number by number.
bool is_free_of_cutoff(SensorKind kind) {
  return kind == SensorKind::FrameOrientation || kind == SensorKind::BallOrientation ||
         kind == SensorKind::FrameAxisX || kind == SensorKind::FrameAxisY ||
         kind == SensorKind::FrameAxisZ || kind == SensorKind::ShapeNormal ||
         kind == SensorKind::ShapeSegment;
}

/// Reads one sensor of a model.
class Reader {
 public:
  Reader(const SystemSensor& sensor, const System& system, const StepReport& report,
         const SystemKinematics& at_end)
      : sensor_(sensor), system_(system), report_(report), at_end_(at_end) {}

  Eigen::VectorXd read() const {
    const ModelSensor& sensor = sensor_.sensor;
    switch (sensor.kind) {
      case SensorKind::JointPosition:
      case SensorKind::TendonPosition:
      case SensorKind::ActuatorPosition:
        return one(sensor.gear * coordinate(false));
      case SensorKind::JointRate:
      case SensorKind::TendonRate:
      case SensorKind::ActuatorRate:
        return one(sensor.gear * coordinate(true));
      case SensorKind::ActuatorForce:
        return one(actuator_force(system_, report_, at_end_, sensor_));
      case SensorKind::JointActuatorForce:
      case SensorKind::TendonActuatorForce:
        return one(actuator_effort(system_, report_, at_end_, joint()));
      case SensorKind::BallOrientation:
        return upper_half(ball().first);
      case SensorKind::BallAngularVelocity:
        return ball().second;
      case SensorKind::SubtreeCenter:
        return subtree_motion(system_, at_end_, report_.end->v, sensor_.subtree).center;
      case SensorKind::SubtreeVelocity:
        return subtree_motion(system_, at_end_, report_.end->v, sensor_.subtree).velocity;
      case SensorKind::SubtreeAngularMomentum:
        return subtree_motion(system_, at_end_, report_.end->v, sensor_.subtree).angular_momentum;
      case SensorKind::Clock:
        return one(report_.end->time);
      case SensorKind::LimitDistance:
      case SensorKind::LimitRate:
      case SensorKind::LimitForce:
        return one(
            limit_reading(system_, report_, at_end_, sensor, sensor_.model + "/" + sensor.object));
      case SensorKind::ShapeDistance:
      case SensorKind::ShapeNormal:
      case SensorKind::ShapeSegment:
        return distance_reading(system_, at_end_, sensor_);
      case SensorKind::PotentialEnergy:
      case SensorKind::KineticEnergy:
        return one(energy_reading(system_, at_end_, sensor_));
      case SensorKind::Contacts:
        return contact_reading(system_, report_, sensor_);
      default:
        return read_frame(sensor, frame_of(sensor.object));
    }
  }

 private:
  static Eigen::VectorXd one(double value) { return Eigen::VectorXd::Constant(1, value); }

  /// Returns the joint or tendon of the sensor. @throws std::invalid_argument for one that has
  /// neither coordinates nor a loop coordinate.
  const JointCoordinate& joint() const {
    const std::string& name = sensor_.sensor.object;
    const int index = system_.find_joint(sensor_.model + "/" + name);
    if (index < 0) throw std::invalid_argument("there is no joint '" + name + "'");
    const JointCoordinate& joint = system_.joints()[static_cast<std::size_t>(index)];
    if (joint.q_offset < 0 && joint.loop < 0) {
      throw std::invalid_argument("joint '" + name +
                                  "' is rows of J without a coordinate; use coordinates: reduced");
    }
    return joint;
  }

  /// Returns the position or rate of a joint or tendon.
  double coordinate(bool rate) const {
    const JointCoordinate& own = joint();
    if (own.q_offset >= 0) {
      return rate ? report_.end->v[own.v_offset] : report_.end->q[own.q_offset];
    }
    return rate ? loop_rate(at_end_, own.loop, report_.end->v) : at_end_.loops.position[own.loop];
  }

  /// Returns the quaternion w x y z of a ball joint, and its angular velocity in the axes of the
  /// child. That of v is in the joint's frame F.
  std::pair<Eigen::Vector4d, Eigen::Vector3d> ball() const {
    const JointCoordinate& own = joint();
    const Eigen::Vector4d wxyz = report_.end->q.segment<4>(own.q_offset);
    const Eigen::Vector3d w_F = report_.end->v.segment<3>(own.v_offset);
    return {wxyz, quaternion_from_wxyz(wxyz).conjugate() * w_F};
  }

  const SystemFrame& frame_of(const std::string& name) const {
    return find_frame(system_, sensor_.model + "/" + name);
  }

  Pose pose(const SystemFrame& frame) const {
    return at_end_.X_WB[static_cast<std::size_t>(frame.body)] * frame.X_BF;
  }

  /// Returns the velocity (w, v) of a frame's origin in W.
  Vector6d twist(const SystemFrame& frame) const {
    return body_velocity(system_, at_end_, frame.body, pose(frame).translation, report_.end->v);
  }

  /// Returns the velocity (w, v) of a frame in W, or in a reference frame that may move.
  Vector6d measured_twist(const SystemFrame& frame, const ModelSensor& sensor) const {
    Vector6d V = twist(frame);
    if (sensor.reference.empty()) return V;
    const SystemFrame& reference = frame_of(sensor.reference);
    const Pose X_WR = pose(reference);
    const Vector6d V_R = twist(reference);
    // The rate of p_R = R' (p - p_WR) is R' (v - v_R - w_R x (p - p_WR)).
    const Eigen::Vector3d p = pose(frame).translation - X_WR.translation;
    V -= V_R;
    V.tail<3>() -= V_R.head<3>().cross(p);
    V << (X_WR.rotation.transpose() * V.head<3>()).eval(),
        (X_WR.rotation.transpose() * V.tail<3>()).eval();
    return V;
  }

  Eigen::VectorXd read_frame(const ModelSensor& sensor, const SystemFrame& frame) const {
    Pose X = pose(frame);
    const Eigen::Matrix3d R_FW = X.rotation.transpose();
    if (!sensor.reference.empty()) {
      X = pose(frame_of(sensor.reference)).inverse() * X;
    }
    switch (sensor.kind) {
      case SensorKind::FramePosition:
        return X.translation;
      case SensorKind::FrameOrientation:
        return upper_half(wxyz_from_quaternion(Eigen::Quaterniond(X.rotation)));
      case SensorKind::FrameAxisX:
        return X.rotation.col(0);
      case SensorKind::FrameAxisY:
        return X.rotation.col(1);
      case SensorKind::FrameAxisZ:
        return X.rotation.col(2);
      case SensorKind::FrameVelocity:
        return measured_twist(frame, sensor).tail<3>();
      case SensorKind::FrameAngularVelocity:
        return measured_twist(frame, sensor).head<3>();
      case SensorKind::FrameAcceleration:
        return acceleration(frame).tail<3>() - system_.gravity();
      case SensorKind::FrameAngularAcceleration:
        return acceleration(frame).head<3>();
      case SensorKind::Velocimeter:
        return R_FW * twist(frame).tail<3>();
      case SensorKind::Gyro:
        return R_FW * twist(frame).head<3>();
      case SensorKind::Accelerometer:
        return R_FW * (acceleration(frame).tail<3>() - system_.gravity());
      case SensorKind::Touch:
        return one(touch(frame));
      case SensorKind::Force:
        return joint_wrench_in_frame(system_, report_, frame.body, frame.X_BF).force_F;
      case SensorKind::Torque:
        return joint_wrench_in_frame(system_, report_, frame.body, frame.X_BF).torque_F;
      case SensorKind::Rangefinder:
        return one(range(frame));
      case SensorKind::Magnetometer:
        return R_FW * sensor.field_W;
      case SensorKind::CameraProjection:
        return projection(sensor.camera, X.translation);
      case SensorKind::InsideVolume: {
        const std::optional<Shape>& volume = frame_of(sensor.reference).extent;
        return one(volume && is_inside(*volume, X.translation) ? 1.0 : 0.0);
      }
      default:
        throw std::invalid_argument("sensor '" + sensor.name + "' is of a kind that is not read");
    }
  }

  /// Returns the mean acceleration (angular, linear) of a frame's origin over the step, in W.
  Vector6d acceleration(const SystemFrame& frame) const {
    require_step(report_);
    SystemKinematics before;
    compute_kinematics(system_, report_.start->q, report_.start->v, report_.start->time, before);
    const Eigen::Vector3d p_W =
        (before.X_WB[static_cast<std::size_t>(frame.body)] * frame.X_BF).translation;
    const Vector6d start = body_velocity(system_, before, frame.body, p_W, report_.start->v);
    return (twist(frame) - start) / report_.step;
  }

  /// Returns the sum of the normal forces on the body at contacts within the frame's volume, or
  /// from which a ray along the normal, out of the body, meets it.
  double touch(const SystemFrame& frame) const {
    require_step(report_);
    if (!frame.extent) return 0.0;
    SystemKinematics before;
    compute_kinematics(system_, report_.start->q, report_.start->v, report_.start->time, before);
    const Pose X_WF = before.X_WB[static_cast<std::size_t>(frame.body)] * frame.X_BF;
    double sum = 0.0;
    const std::vector<Contact>& contacts = report_.problem.contacts;
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      const Contact& contact = contacts[i];
      if (contact.body_a != frame.body && contact.body_b != frame.body) continue;
      const Eigen::Vector3d out_W =
          contact.body_a == frame.body ? contact.normal_W : Eigen::Vector3d(-contact.normal_W);
      if (!is_inside(*frame.extent, X_WF.inverse() * contact.position_W) &&
          !cast_ray(*frame.extent, X_WF, contact.position_W, out_W)) {
        continue;
      }
      sum += report_.solution.impulses[3 * static_cast<Eigen::Index>(i) + 2];
    }
    return sum / report_.step;
  }

  /// Returns the distance along z to the nearest shape of another body, or -1.
  double range(const SystemFrame& frame) const {
    const Pose X_WF = pose(frame);
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const std::optional<SystemRayHit> hit =
        cast_ray(system_, at_end_, X_WF.translation, X_WF.rotation.col(2), kInfinity, {frame.body});
    return hit ? hit->distance : -1.0;
  }

  const SystemSensor& sensor_;
  const System& system_;
  const StepReport& report_;
  const SystemKinematics& at_end_;
};

}  // namespace

int sensor_size(const ModelSensor& sensor) {
  switch (sensor.kind) {
    case SensorKind::JointPosition:
    case SensorKind::JointRate:
    case SensorKind::TendonPosition:
    case SensorKind::TendonRate:
    case SensorKind::ActuatorPosition:
    case SensorKind::ActuatorRate:
    case SensorKind::ActuatorForce:
    case SensorKind::JointActuatorForce:
    case SensorKind::TendonActuatorForce:
    case SensorKind::Touch:
    case SensorKind::Rangefinder:
    case SensorKind::Clock:
    case SensorKind::LimitDistance:
    case SensorKind::LimitRate:
    case SensorKind::LimitForce:
    case SensorKind::InsideVolume:
    case SensorKind::ShapeDistance:
    case SensorKind::PotentialEnergy:
    case SensorKind::KineticEnergy:
      return 1;
    case SensorKind::CameraProjection:
      return 2;
    case SensorKind::FrameOrientation:
    case SensorKind::BallOrientation:
      return 4;
    case SensorKind::ShapeSegment:
      return 6;
    case SensorKind::Contacts:
      return contact_reading_size(sensor.contacts);
    default:
      return 3;
  }
}

Eigen::VectorXd sensor_reading(const System& system, const StepReport& report,
                               const SystemKinematics& at_end, std::size_t sensor) {
  const SystemSensor& own = system.sensors()[sensor];
  Eigen::VectorXd reading = Reader(own, system, report, at_end).read();
  // A cutoff bounds each number; a ray that meets nothing keeps its -1.
  const double cutoff = own.sensor.cutoff;
  if (!(cutoff > 0.0) || is_free_of_cutoff(own.sensor.kind)) return reading;
  reading = reading.cwiseMin(cutoff);
  if (own.sensor.kind != SensorKind::Rangefinder) reading = reading.cwiseMax(-cutoff);
  return reading;
}

Eigen::VectorXd sensor_reading(const System& system, const StepReport& report,
                               const std::string& name) {
  const int sensor = index_of_named("sensor", system.sensors(), name, &SystemSensor::name);
  SystemKinematics at_end;
  compute_kinematics(system, report.end->q, report.end->v, report.end->time, at_end);
  return sensor_reading(system, report, at_end, static_cast<std::size_t>(sensor));
}

Pose model_frame_pose(const System& system, const State& state, const std::string& name) {
  const SystemFrame& frame = find_frame(system, name);
  SystemKinematics kinematics;
  compute_kinematics(system, state.q, state.v, state.time, kinematics);
  return kinematics.X_WB[static_cast<std::size_t>(frame.body)] * frame.X_BF;
}

}  // namespace amontons
