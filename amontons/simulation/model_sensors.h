#pragma once

#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/system/step_report.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <string>

namespace amontons {

/// Returns the reading of a sensor of a model (SceneModel::sensors), at the end of a step. Its unit
/// is that of its kind (SensorKind). Accelerations and contact forces are means over the step.
/// @param name  "model/sensor".
/// @returns one number, three of a vector, or four of a quaternion (w, x, y, z; w >= 0).
/// @throws std::invalid_argument for a name that no sensor has. Also for the report of a state
/// without a step, or of an impact, where the sensor needs the length of the step.
Eigen::VectorXd sensor_reading(const Scene& scene, const System& system, const StepReport& report,
                               const std::string& name);

/// Returns the pose of a frame of a model (SceneModel::frames) in W at a state.
/// @param name  "model/frame".
/// @throws std::invalid_argument for a name that no frame has.
Pose model_frame_pose(const Scene& scene, const System& system, const State& state,
                      const std::string& name);

}  // namespace amontons
