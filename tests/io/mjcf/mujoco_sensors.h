#pragma once

#include "amontons/simulation/model_sensors.h"
#include "tests/io/mjcf/mujoco_oracle.h"

#include <algorithm>
#include <initializer_list>

// Sensors of an MJCF file beside MuJoCo's.

namespace amontons::test {

/// Returns MuJoCo's reading of a sensor; a quaternion has w >= 0.
inline Eigen::VectorXd their_reading(const MujocoTwin& twin, const ModelSensor& sensor) {
  const mjModel& m = *twin.model;
  const int id = mj_name2id(&m, mjOBJ_SENSOR, sensor.name.c_str());
  REQUIRE(id >= 0);
  Eigen::VectorXd reading =
      Eigen::Map<const Eigen::VectorXd>(twin.data->sensordata + m.sensor_adr[id], m.sensor_dim[id]);
  const bool is_quaternion =
      sensor.kind == SensorKind::FrameOrientation || sensor.kind == SensorKind::BallOrientation;
  if (is_quaternion && reading[0] < 0.0) reading = -reading;
  return reading;
}

/// Checks that the sensors of a file read after a step what MuJoCo reads at q and v.
/// @param tolerance  in parts of 1 and of the reading.
/// @param but  kinds that are left out.
inline void check_sensors(const MujocoTwin& twin, const System& system, const StepReport& report,
                          double tolerance, std::initializer_list<SensorKind> but = {}) {
  for (const ModelSensor& sensor : twin.ours().sensors) {
    if (std::find(but.begin(), but.end(), sensor.kind) != but.end()) continue;
    CAPTURE(sensor.name);
    const Eigen::VectorXd theirs = their_reading(twin, sensor);
    const Eigen::VectorXd ours = sensor_reading(system, report, "m/" + sensor.name);
    REQUIRE(ours.size() == theirs.size());
    CHECK(ours.size() == sensor_size(sensor));
    CHECK((ours - theirs).norm() < tolerance * (1.0 + theirs.norm()));
  }
}

/// Checks the same at the state q and v, without a step.
inline void check_sensors(const MujocoTwin& twin, double tolerance,
                          std::initializer_list<SensorKind> but = {}) {
  State state = twin.system->initial_state();
  state.q = twin.q;
  state.v = twin.v;
  StepReport report;
  report.end = &state;
  check_sensors(twin, *twin.system, report, tolerance, but);
}

}  // namespace amontons::test
