#pragma once

#include "amontons/dynamics/muscle.h"
#include "amontons/math/trajectory.h"
#include "amontons/simulation/scene/source_location.h"

#include <limits>
#include <optional>
#include <string>

namespace amontons {

/// Lets a muscle act along a joint of one coordinate, or along a tendon. The muscle's length is
/// `gear` times the coordinate, the effort `gear` times its force.
struct JointMuscle {
  std::string joint;                     ///< name, or model/joint; also a tendon of the model
  Muscle muscle;                         ///< law of its force
  double gear = 1.0;                     ///< [-], [m/rad] of a joint
  double activation = 0.0;               ///< in [0, 1]
  std::optional<Trajectory> table = {};  ///< activations over time
  double least_force = -std::numeric_limits<double>::infinity();   ///< bounds of the force
  double largest_force = std::numeric_limits<double>::infinity();  ///< [N or N m]
  double effort_limit = std::numeric_limits<double>::infinity();   ///< of the joint [N m or N]
  SourceLocation where;                                            ///< its place in the file
  std::string actuator = {};  ///< name of the actuator in its file; empty: none
};

}  // namespace amontons
