#pragma once

#include "amontons/simulation/stepping/time_stepping_settings.h"
#include "amontons/simulation/system/state.h"
#include "amontons/simulation/system/step_report.h"

namespace amontons {

/// A way of moving a system through time: simulation.method of a scene. `Simulator` drives one.
///
/// A step need not be of the length that the settings give: one that meets an event ends there.
class Stepper {
 public:
  Stepper() = default;
  virtual ~Stepper() = default;
  Stepper(const Stepper&) = delete;
  Stepper& operator=(const Stepper&) = delete;

  /// Advances `state` by one step and fills the report, whose `start` points into the stepper.
  /// @param report  of the last step, as it was left, or any other.
  /// @throws DivergenceError if a velocity leaves all bounds; the state is then that before the
  /// step.
  virtual void step(State& state, StepReport& report) = 0;

  /// Fills the report of a state that no step has led to: no contacts, its energy, its
  /// infeasibility.
  virtual void report_initial(const State& state, StepReport& report) = 0;

  /// Forgets what was prepared for the next step; needed when the state or the commands were
  /// changed from outside.
  virtual void reset() = 0;

  virtual const TimeSteppingSettings& settings() const = 0;
};

}  // namespace amontons
