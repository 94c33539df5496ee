#pragma once

#include "amontons/math/thread_pool.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/simulation/forces/energy.h"
#include "amontons/simulation/forces/inertia_coupling.h"
#include "amontons/simulation/forces/inertial_gain.h"
#include "amontons/simulation/rest/resting_part.h"
#include "amontons/simulation/stepping/motion_certificate.h"
#include "amontons/simulation/stepping/post_stabilization.h"
#include "amontons/simulation/stepping/step_evaluation.h"
#include "amontons/simulation/stepping/step_solver.h"
#include "amontons/simulation/stepping/stepper.h"
#include "amontons/simulation/stepping/time_stepping_settings.h"
#include "amontons/simulation/system/step_report.h"
#include "amontons/simulation/system/system.h"
#include "amontons/simulation/system/warm_start.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace amontons {

/// Takes one step of the velocity-level schemes in the order of the papers:
///
///   kinematics -> free motion -> contacts -> problem -> impulses -> certificate -> new state
///
/// Contacts at the end of a step are those of the start of the next. They are kept for it, and they
/// give the infeasibility that the step leaves.
///
/// Impulses within a step may throw a body further than its speed at the start suggests. Shapes may
/// then overlap without a contact in the problem. Such a step is repeated with a wider contact
/// horizon, taken from the speeds of its solution.
///
/// Inertial forces are those of the motion that forces and the impulses of the last step give
/// (forces/tree_inertia.h). Where an impulse changes the motion so much that they add energy, the
/// step is repeated with those of the motion that it has made (inertial_gain.h,
/// dynamics/coupled_inertia.h).
///
/// A step may start with the bits of the last one: a robot at rest, an arm that holds its pose. It
/// then ends with the same bits. Nothing is computed if the given report is that of such a step.
/// Bodies at rest beside others that move are left out of the step in the same way (RestingPart).
class TimeStepper final : public Stepper {
 public:
  /// @param pool  shares the islands of a step, if given.
  TimeStepper(const System& system, const ContactModel& model, TimeSteppingSettings settings,
              ThreadPool* pool = nullptr);

  void step(State& state, StepReport& report) override;
  void report_initial(const State& state, StepReport& report) override;
  void reset() override {
    prepared_ = Prepared::Nothing;
    resting_.clear();
  }
  void forget_commands() override {
    if (prepared_ == Prepared::Everything) prepared_ = Prepared::Motion;
  }
  void number_after(std::int64_t last) override { solution_number_ = last; }
  StepKinematics last_kinematics() const override;
  const TimeSteppingSettings& settings() const override { return settings_; }
  /// Marks the trees at rest that the last step has left out [articulations]; empty: none.
  std::span<const char> trees_left_out() const { return resting_.trees(); }

 private:
  /// Says what at_start_ holds of the coming step: nothing, all but what depends on commands, or
  /// everything.
  enum class Prepared : std::uint8_t { Nothing, Motion, Everything };

  /// Returns the options of the free motion of the coming step.
  FreeMotionOptions motion_options(std::span<const char> kept, const CoupledInertia* coupled) const;
  /// Evaluates free motion and contacts at the state, those of trees at rest excepted.
  /// @param coupled  trees whose inertial forces belong to the end of the step, or null.
  void prepare(const State& state, const CoupledInertia* coupled = nullptr);
  /// Evaluates all trees at the state.
  void prepare_whole(const State& state, const CoupledInertia* coupled = nullptr);
  /// Decides which trees at rest the coming step leaves out.
  void update_resting_part(const State& state);
  /// Notes the trees at rest after a step with this report, which moved all trees or all others.
  void note_resting_trees(const State& state, const StepReport& report);
  /// Takes the step, and repeats it with inertial forces of its own motion while they add energy.
  void step_with_coupled_inertia(State& state, StepReport& report);
  /// Returns the free motion of the last step as it is without coupled trees.
  FreeMotion uncoupled_motion(double step);
  /// Returns the evaluation of the problem that the last step has solved.
  const StepEvaluation& evaluation() const {
    return settings_.evaluates_ahead() ? ahead_ : *at_last_start_;
  }
  /// Takes the step, and repeats it with a wider contact horizon while it misses contacts.
  void step_with_wider_horizon(State& state, StepReport& report);
  /// Returns how contacts are sought: as far as closing_speed_ demands.
  ClosingSpeed closing_speed(double step) const;
  /// Takes the step once, with the contact horizon of closing_speed_.
  void attempt_step(State& state, StepReport& report);
  /// Returns true if the step has the same bits as the last one in all that it reads.
  bool starts_as_last_step(const State& state) const;
  /// Sets count and time of the state to those after one more step.
  void count_step(State& state) const;
  /// Solves the problem evaluated at the start of the step.
  void solve(const State& state, StepReport& report);
  /// Solves the problem evaluated at the expected end of the step.
  void solve_ahead(const State& state, StepReport& report);
  /// Moves the state to the end of the step: q (+) h v+, and corrects the positions there.
  void advance(State& state, StepReport& report);
  /// Moves positions onto the joints and out of overlaps, as the settings demand.
  void correct_positions(State& state);
  /// Returns the energies of the last step.
  /// @param before  energy at its start.
  StepEnergies energies_since(const StoredEnergy& before) const;
  /// Accounts for the energies of a step, and certifies its motion.
  /// @param before  energy at its start.
  void finish(const StoredEnergy& before, StepReport& report);

  const System* system_;
  TimeSteppingSettings settings_;
  StepSolver solver_;
  ContactDetector detector_;
  bool expects_impulses_;  ///< true: some tree is more than a single body
  State start_;
  StepStart coming_;        ///< start of the coming step, once prepared
  Eigen::VectorXd q_next_;  ///< scratch of advance() [nq]
  LastingImpulseWorkspace lasting_;
  EnergyWorkspace energy_work_;
  MotionCertificateWorkspace motion_work_;
  InertialGain gain_;                 ///< energy that inertial forces have added in the last step
  double step_ = 0.0;                 ///< h of the last step [s]
  std::int64_t solution_number_ = 0;  ///< number of the last step's solution
  Prepared prepared_ = Prepared::Nothing;
  ClosingSpeed closing_speed_;  ///< closing speed in the search for contacts of the coming step
  InertiaCoupling coupling_;    ///< trees whose inertial forces belong to the end of the step
  LastImpulses last_impulses_;  ///< impulses that the coming step expects again
  std::vector<SolveAttempt> rejected_attempts_;  ///< attempts of the last step that missed contacts
  StoredEnergy energy_at_start_;                 ///< energy at the start of the coming step
  /// Energy at the end of the last motion, where positions were corrected after it.
  std::optional<StoredEnergy> uncorrected_;
  /// Evaluations at the starts of the coming step, once prepared, and of the last one. They change
  /// places each step.
  std::unique_ptr<StepEvaluation> at_start_ = std::make_unique<StepEvaluation>();
  std::unique_ptr<StepEvaluation> at_last_start_ = std::make_unique<StepEvaluation>();
  StepEvaluation ahead_;  ///< evaluation of the problem, if ahead of the start
  RestingPart resting_;   ///< trees at rest, which the coming step leaves out
  std::optional<PostStabilization> post_stabilization_;  ///< where the settings ask for it
  StepReport moving_;                                    ///< report of a step without them
};

}  // namespace amontons
