#pragma once

#include "amontons/simulation/stepping/step_kinematics.h"
#include "amontons/simulation/stepping/time_stepping_settings.h"
#include "amontons/simulation/system/state.h"
#include "amontons/simulation/system/step_report.h"

#include <cstdint>

namespace amontons {

/// Moves a system through time by the method that simulation.method of a scene names. `Simulator`
/// drives one.
///
/// A step may be shorter than the settings say: one that meets an event ends there.
class Stepper {
 public:
  Stepper() = default;
  virtual ~Stepper() = default;
  Stepper(const Stepper&) = delete;
  Stepper& operator=(const Stepper&) = delete;

  /// Advances `state` by one step and fills the report, whose `start` points into the stepper.
  /// @param report  report of the last step, unchanged, or any other.
  /// @throws DivergenceError if a velocity leaves all bounds; the state then is that of the step's
  /// start.
  virtual void step(State& state, StepReport& report) = 0;

  /// Fills the report of a state that no step has led to: no contacts, its energy, its
  /// infeasibility.
  virtual void report_initial(const State& state, StepReport& report) = 0;

  /// Discards the prepared evaluation of the next step. It is needed when the state changes from
  /// outside.
  virtual void reset() = 0;

  /// Discards what the prepared evaluation has of commands. It is needed before they change.
  virtual void forget_commands() { reset(); }

  /// Numbers solutions (StepReport::solution_number) from the next one on, so that those of a
  /// stepper that takes the place of another differ from the other's.
  virtual void number_after(std::int64_t last) = 0;

  /// Returns the kinematics of the last step that are still known. They are valid until the next
  /// call that is not const.
  virtual StepKinematics last_kinematics() const { return {}; }

  virtual const TimeSteppingSettings& settings() const = 0;
};

}  // namespace amontons
