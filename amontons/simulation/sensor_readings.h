#pragma once

#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/step_report.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <cstddef>
#include <string>
#include <vector>

namespace amontons {

// Readings of sensors that measure more than the motion of one frame (model_sensors.h).

/// Returns true if a point, in the axes of a frame, lies within its volume.
bool is_inside(const Shape& extent, const Eigen::Vector3d& p);

/// Returns the indices of shapes of a model in the system.
std::vector<std::size_t> indices_of(const System& system, const std::string& model,
                                    const SensorShapes& shapes);

/// Returns the reading of a sensor of limits. The lower limit counts where both are within the
/// margin, and where neither is, distance and rate are 0. The force is that of both, a mean over
/// the step [N m or N].
/// @param joint  name of the joint or tendon in the system.
/// @throws std::invalid_argument  for a name without a coordinate; for forces, as require_step().
double limit_reading(const System& system, const StepReport& report, const SystemKinematics& at_end,
                     const ModelSensor& sensor, const std::string& joint);

/// Returns the pixel at which a camera sees a point: x to the right and y downwards from the upper
/// left corner of the picture. A point behind the camera is projected, too.
/// @param p_C  the point in the frame of the camera, which looks along -z [m].
Eigen::Vector2d projection(const SensorCamera& camera, const Eigen::Vector3d& p_C);

/// Returns the reading of a sensor of distances between shapes, for its kind: the signed distance
/// [m], the unit vector from the nearest point of the first shapes to that of the second, or both
/// points in W [m]. Where no distance is below the cutoff it is the cutoff, or zeros. The vector of
/// shapes that overlap points back into the first, and is zero where they just touch.
Eigen::VectorXd distance_reading(const System& system, const SystemKinematics& at,
                                 const SystemSensor& sensor);

/// Returns the kinetic energy of the trees that hold links of a sensor's model, or the potential
/// energy of its links by gravity and of the springs of its joints and tendons [J].
double energy_reading(const System& system, const SystemKinematics& at, const SystemSensor& sensor);

}  // namespace amontons
