#pragma once

#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/step_report.h"

namespace amontons {

/// Refers to kinematics that a stepper has of its last step; null where it has none. They have the
/// bits of compute_kinematics() there, but at rest the time of an earlier step.
struct StepKinematics {
  const SystemKinematics* start = nullptr;  ///< at the state of its start
  const SystemKinematics* end = nullptr;    ///< at the state of its end
};

/// Returns the kinematics at the start of a step, whose report is given.
/// @param known  where they may be known, or null.
/// @param own    receives them where they are not.
const SystemKinematics& start_kinematics(const System& system, const StepReport& report,
                                         const StepKinematics* known, SystemKinematics& own);

/// Returns the kinematics at the end of a step in the same way.
const SystemKinematics& end_kinematics(const System& system, const StepReport& report,
                                       const StepKinematics* known, SystemKinematics& own);

}  // namespace amontons
