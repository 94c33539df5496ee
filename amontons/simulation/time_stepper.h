#pragma once

#include "amontons/math/thread_pool.h"
#include "amontons/models/contact_model.h"
#include "amontons/models/island_solver.h"
#include "amontons/simulation/assembly.h"
#include "amontons/simulation/energy.h"
#include "amontons/simulation/joint_rows.h"
#include "amontons/simulation/scene.h"
#include "amontons/simulation/step_evaluation.h"
#include "amontons/simulation/step_report.h"
#include "amontons/simulation/system.h"

#include <Eigen/Core>

#include <memory>
#include <optional>
#include <vector>

namespace amontons {

/// What a time stepper reads of the scene's settings, with the model's presets filled in.
struct TimeSteppingSettings {
  std::vector<double> steps;  ///< cycled [s]
  double gamma = 1.0;
  bool literal_gamma = false;
  double tolerance = 1e-8;
  std::optional<double> v_max;       ///< [m/s]
  std::optional<double> rest_speed;  ///< [m/s]; 2 g h where absent
  double overlap_speed = 3.0;        ///< [m/s]
  bool predicted_position = false;
  JointFriction joint_friction = JointFriction::Coupled;
  bool projection = false;
  int position_iterations = 0;

  /// Presets of the model, overridden by what the scene says explicitly.
  static TimeSteppingSettings from(const SimulationSettings& settings, const ModelTraits& traits);

  double step_size(std::int64_t step_count) const;  ///< [s]
  double time_of(std::int64_t step_count) const;    ///< [s], without accumulated rounding
  StepParameters parameters(double step, double gravity) const;
  /// True where M, J and the gaps belong to the expected end of the step.
  bool evaluates_ahead() const { return predicted_position || position_iterations > 0; }
};

/// One step of the velocity-level schemes, readable as the papers:
///
///   kinematics -> free motion -> contacts -> problem -> impulses -> certificate -> new state
///
/// Contacts at the end of a step are those of the start of the next; they are kept for it, and tell
/// the infeasibility that the step has left.
///
/// A step that starts with the bits of the one before it (a robot that stands, an arm that holds)
/// ends with them, too: nothing is computed anew.
class TimeStepper {
 public:
  /// @param pool  shares the islands of a step, if given.
  TimeStepper(const System& system, const ContactModel& model, TimeSteppingSettings settings,
              ThreadPool* pool = nullptr);

  /// Advances `state` by one step and fills the report, whose `start` points into the stepper.
  /// @param report  of the last step, as it was left, or any other.
  void step(State& state, StepReport& report);

  /// Fills the report of a state that no step has led to: no contacts, its energy, its
  /// infeasibility.
  void report_initial(const State& state, StepReport& report);

  /// Forgets what was prepared for the next step; needed when the state was changed from outside.
  void reset() { prepared_ = false; }

  const TimeSteppingSettings& settings() const { return settings_; }

 private:
  void prepare(const State& state);
  bool repeats_last_step(const State& state, const StepReport& report) const;
  void count_step(State& state) const;
  void solve(const State& state, StepReport& report);
  template <typename Evaluate>
  void solve_with_rows(const State& state, const StepEvaluation& evaluation, StepReport& report,
                       const Evaluate& evaluate);
  void solve_ahead(const State& state, StepReport& report);
  void solve_problem(const State& state, StepReport& report);
  void advance(State& state, StepReport& report);
  Eigen::Vector3d impulse_in_world(const Contact& contact, const Eigen::Vector3d& impulse) const;
  FreeMotionOptions free_motion_options() const {
    return {selection_.servos, settings_.joint_friction};
  }
  double infeasibility() const;  ///< of the state that at_start_ belongs to
  Eigen::VectorXd transported_warm_start(const State& state, const ContactProblem& problem) const;

  const System* system_;
  TimeSteppingSettings settings_;
  JointRows joint_rows_;
  JointRowSelection selection_;  ///< bounded rows of the coming step
  IslandwiseSolver solver_;
  ContactDetector detector_;
  State start_;
  const StepReport* filled_ = nullptr;  ///< the last step's report
  bool prepared_ = false;
  StepEvaluation at_start_;  ///< of the coming step, once prepared
  StoredEnergy energy_;      ///< there
  StepEvaluation before_;    ///< of the last step
  StepEvaluation ahead_;     ///< where the problem was evaluated, if ahead of the start
};

}  // namespace amontons
