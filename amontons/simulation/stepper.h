#pragma once

#include "amontons/math/thread_pool.h"
#include "amontons/models/contact_model.h"
#include "amontons/simulation/scene.h"
#include "amontons/simulation/state.h"
#include "amontons/simulation/step_report.h"
#include "amontons/simulation/system.h"
#include "amontons/simulation/time_stepping_settings.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

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

/// @param model  of the scene's settings; it and the system must outlive the stepper.
/// @param pool   shares the islands of a step, if given.
/// @throws std::invalid_argument for a method that is not there.
std::unique_ptr<Stepper> make_stepper(const System& system, const ContactModel& model,
                                      const SimulationSettings& settings, ThreadPool* pool);

/// The methods that make_stepper() knows.
const std::vector<std::string>& method_names();

/// What keeps contacts from lasting by forces (events.sustained), one sentence; nothing where that
/// is not asked or can be done.
std::optional<std::string> fault_of_sustained(const SimulationSettings& settings);

/// The model that resolves impacts, by the event-driven and hybrid methods: events.impact_model, or
/// the method's own.
std::string impact_model_name(const SimulationSettings& settings);

}  // namespace amontons
