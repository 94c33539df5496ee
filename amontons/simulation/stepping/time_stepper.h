#pragma once

#include "amontons/math/thread_pool.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/simulation/forces/energy.h"
#include "amontons/simulation/stepping/step_evaluation.h"
#include "amontons/simulation/stepping/step_solver.h"
#include "amontons/simulation/stepping/stepper.h"
#include "amontons/simulation/stepping/time_stepping_settings.h"
#include "amontons/simulation/system/step_report.h"
#include "amontons/simulation/system/system.h"

#include <cstdint>
#include <vector>

namespace amontons {

/// One step of the velocity-level schemes, readable as the papers:
///
///   kinematics -> free motion -> contacts -> problem -> impulses -> certificate -> new state
///
/// Contacts at the end of a step are those of the start of the next; they are kept for it, and tell
/// the infeasibility that the step has left.
///
/// A step whose answer moves shapes into each other that no contact foresaw is taken anew, with
/// contacts sought as far as that answer was fast: impulses within a step may throw a body further
/// than its speed told.
///
/// A step that starts with the bits of the one before it (a robot that stands, an arm that holds)
/// ends with them, too: nothing is computed anew, if the report given is that of such a step.
class TimeStepper final : public Stepper {
 public:
  /// @param pool  shares the islands of a step, if given.
  TimeStepper(const System& system, const ContactModel& model, TimeSteppingSettings settings,
              ThreadPool* pool = nullptr);

  void step(State& state, StepReport& report) override;
  void report_initial(const State& state, StepReport& report) override;
  void reset() override { prepared_ = false; }
  const TimeSteppingSettings& settings() const override { return settings_; }

 private:
  void prepare(const State& state);
  void step_with_wider_horizon(State& state, StepReport& report);
  void attempt_step(State& state, StepReport& report);
  bool starts_as_last_step(const State& state) const;
  void count_step(State& state) const;
  void solve(const State& state, StepReport& report);
  void solve_ahead(const State& state, StepReport& report);
  void advance(State& state, StepReport& report);

  const System* system_;
  TimeSteppingSettings settings_;
  StepSolver solver_;
  ContactDetector detector_;
  State start_;
  double step_ = 0.0;                 ///< h of the last step [s]
  std::int64_t solution_number_ = 0;  ///< of the last step's report
  bool prepared_ = false;
  ClosingSpeed closing_speed_;  ///< at which contacts of the coming step are sought
  std::vector<SolveAttempt>
      rejected_attempts_;         ///< of the last step: answers that foresaw too little
  StepEvaluation at_start_;       ///< of the coming step, once prepared
  StoredEnergy energy_at_start_;  ///< there
  StepEvaluation at_last_start_;  ///< of the last step
  StepEvaluation ahead_;          ///< where the problem was evaluated, if ahead of the start
};

}  // namespace amontons
