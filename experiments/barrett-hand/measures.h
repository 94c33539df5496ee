#pragma once

#include "amontons/simulation/simulator.h"

#include <set>
#include <string>
#include <utility>

namespace amontons::experiments {

/// The largest joint error |Theta| of the state that a simulator is in [m or rad].
double joint_infeasibility(const Simulator& simulator);

/// Returns the position of the origin of a body in the world [m].
Eigen::Vector3d position_of_body(const Simulator& simulator, const std::string& name);

/// Which pairs of bodies pressed on each other in a step.
std::set<std::pair<int, int>> pressing_pairs(const StepReport& report);

}  // namespace amontons::experiments
