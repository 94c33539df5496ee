#pragma once

#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/step_report.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <cstddef>
#include <string>

namespace amontons {

/// Returns how many numbers a reading has.
int sensor_size(const ModelSensor& sensor);

/// Returns the reading of a sensor of a model (System::sensors()), at the end of a step. Its unit
/// is that of its kind (SensorKind). Accelerations and contact forces are means over the step;
/// forces of actuators are those of their laws at its end.
/// @param name  "model/sensor".
/// @returns sensor_size() numbers; those of a quaternion are w, x, y, z with w >= 0.
/// @throws std::invalid_argument for a name that no sensor has. Also for the report of a state
/// without a step, or of an impact, where the sensor needs the length of the step.
Eigen::VectorXd sensor_reading(const System& system, const StepReport& report,
                               const std::string& name);

/// Returns the same reading of a sensor by its index.
/// @param at_end  kinematics at the end of the step.
Eigen::VectorXd sensor_reading(const System& system, const StepReport& report,
                               const SystemKinematics& at_end, std::size_t sensor);

/// Returns the pose of a frame (System::frames()) in W at a state.
/// @param name  name of a frame of the scene, or "model/frame".
/// @throws std::invalid_argument for a name that no frame has.
Pose model_frame_pose(const System& system, const State& state, const std::string& name);

}  // namespace amontons
