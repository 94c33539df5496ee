#pragma once

#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

namespace amontons {

/// Holds the most effort of actuators along each coordinate [N m or N], infinity where nothing
/// limits it.
struct EffortLimits {
  Eigen::VectorXd along_v;      ///< along velocities [nv]
  Eigen::VectorXd along_loops;  ///< along each of System::loop_coordinates()
};

/// Returns the limits of effort in use now: along each coordinate the least of what its joint
/// states and what its servos have.
EffortLimits effort_limits(const System& system);

}  // namespace amontons
