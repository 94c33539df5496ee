#include "amontons/simulation/system/step_kinematics.h"

namespace amontons {
namespace {

/// Returns the kinematics at a state, which it computes unless they are known.
const SystemKinematics& kinematics_at(const System& system, const State& state,
                                      const SystemKinematics* known, SystemKinematics& own) {
  if (known != nullptr) return *known;
  compute_kinematics(system, state.q, state.v, state.time, own);
  return own;
}

}  // namespace

const SystemKinematics& start_kinematics(const System& system, const StepReport& report,
                                         const StepKinematics* known, SystemKinematics& own) {
  return kinematics_at(system, *report.start, known != nullptr ? known->start : nullptr, own);
}

const SystemKinematics& end_kinematics(const System& system, const StepReport& report,
                                       const StepKinematics* known, SystemKinematics& own) {
  return kinematics_at(system, *report.end, known != nullptr ? known->end : nullptr, own);
}

}  // namespace amontons
