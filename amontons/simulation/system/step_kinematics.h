#pragma once

#include "amontons/simulation/system/kinematics.h"

namespace amontons {

/// Refers to kinematics that a stepper has of its last step; null where it has none. They have the
/// bits of compute_kinematics() there, but at rest the time of an earlier step.
struct StepKinematics {
  const SystemKinematics* start = nullptr;  ///< at the state of its start
  const SystemKinematics* end = nullptr;    ///< at the state of its end
};

}  // namespace amontons
