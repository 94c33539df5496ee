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

/// Returns the kinematics at a state.
/// @param known  those kinematics, or null.
/// @param own    receives them where they are not known.
inline const SystemKinematics& known_or_computed(const System& system, const State& state,
                                                 const SystemKinematics* known,
                                                 SystemKinematics& own) {
  if (known == nullptr) compute_kinematics(system, state.q, state.v, state.time, own);
  return known == nullptr ? own : *known;
}

/// Returns the kinematics at the start of a step, whose report is given.
/// @param known, own  as of known_or_computed(); `known` may be null.
inline const SystemKinematics& start_kinematics(const System& system, const StepReport& report,
                                                const StepKinematics* known,
                                                SystemKinematics& own) {
  return known_or_computed(system, *report.start, known == nullptr ? nullptr : known->start, own);
}

/// Returns the kinematics at the end of a step in the same way.
inline const SystemKinematics& end_kinematics(const System& system, const StepReport& report,
                                              const StepKinematics* known, SystemKinematics& own) {
  return known_or_computed(system, *report.end, known == nullptr ? nullptr : known->end, own);
}

}  // namespace amontons
