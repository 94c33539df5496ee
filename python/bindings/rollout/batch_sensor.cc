#include "python/bindings/rollout/batch_sensor.h"

#include "amontons/math/rotation.h"
#include "amontons/simulation/model_sensors.h"
#include "amontons/simulation/sensors.h"
#include "amontons/simulation/system/kinematics.h"
#include "python/bindings/model.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace amontons::python {
namespace {

/// Returns the place of a name in a list. @throws UnknownNameError  where it is missing.
int place_of(const char* kind, const std::string& name, const std::vector<std::string>& known) {
  const auto found = std::find(known.begin(), known.end(), name);
  if (found == known.end()) throw UnknownNameError(kind, name, known);
  return static_cast<int>(found - known.begin());
}

SystemKinematics kinematics_at(const System& system, const State& state) {
  SystemKinematics kinematics;
  compute_kinematics(system, state.q, state.v, state.time, kinematics);
  return kinematics;
}

Eigen::VectorXd joined(const Eigen::VectorXd& first, const Eigen::VectorXd& second) {
  Eigen::VectorXd both(first.size() + second.size());
  both << first, second;
  return both;
}

}  // namespace

BatchSensor::BatchSensor(const System& system, const std::string& name) {
  std::vector<std::string> sensors, bodies;
  for (const SystemSensor& one : system.sensors()) sensors.push_back(one.name);
  for (const Body& one : system.bodies()) bodies.push_back(one.name);
  const std::size_t colon = name.find(':');
  const std::string kind = name.substr(0, colon);
  if (name == "joint_efforts") {
    kind_ = Kind::JointEfforts;
    size_ = system.num_velocities();
  } else if (colon != std::string::npos && kind == "imu") {
    kind_ = Kind::Imu;
    size_ = 6;
  } else if (colon != std::string::npos && kind == "contact_wrench") {
    kind_ = Kind::ContactWrench;
    size_ = 6;
  } else if (colon != std::string::npos && kind == "pose") {
    kind_ = Kind::Pose;
    size_ = 7;
  } else {
    sensors.insert(sensors.end(),
                   {"joint_efforts", "imu:BODY", "contact_wrench:BODY", "pose:BODY"});
    index_ = place_of("sensor", name, sensors);
    if (index_ >= static_cast<int>(system.sensors().size())) {
      throw UnknownNameError("sensor", name, sensors);  // BODY is to be replaced
    }
    size_ = sensor_size(system.sensors()[static_cast<std::size_t>(index_)].sensor);
    return;
  }
  if (kind_ != Kind::JointEfforts) index_ = place_of("body", name.substr(colon + 1), bodies);
}

Eigen::VectorXd BatchSensor::read(const System& system, const StepReport& report) const {
  try {
    return reading(system, report);
  } catch (const NoStepError&) {
    return Eigen::VectorXd::Constant(size_, std::numeric_limits<double>::quiet_NaN());
  }
}

Eigen::VectorXd BatchSensor::reading(const System& system, const StepReport& report) const {
  const auto index = static_cast<std::size_t>(index_);
  switch (kind_) {
    case Kind::Imu: {
      const ImuReading reading = imu_reading(system, report, index_);
      return joined(reading.acceleration_B, reading.angular_velocity_B);
    }
    case Kind::ContactWrench: {
      const Wrench wrench = contact_wrench(system, report, index_);
      return joined(wrench.force_W, wrench.torque_W);
    }
    case Kind::Pose: {
      const Pose X_WB = kinematics_at(system, *report.end).X_WB[index];
      return joined(X_WB.translation,
                    wxyz_from_quaternion(Eigen::Quaterniond(X_WB.rotation).normalized()));
    }
    case Kind::JointEfforts:
      return joint_efforts(report);
    case Kind::Model:
      break;
  }
  return sensor_reading(system, report, kinematics_at(system, *report.end), index);
}

}  // namespace amontons::python
