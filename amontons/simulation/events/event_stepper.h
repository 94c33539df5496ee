#pragma once

#include "amontons/models/common/contact_model.h"
#include "amontons/models/decorators/prescribed_impulse_model.h"
#include "amontons/simulation/events/event_evaluation.h"
#include "amontons/simulation/events/impact_search.h"
#include "amontons/simulation/events/sliding_forces.h"
#include "amontons/simulation/events/system_motion.h"
#include "amontons/simulation/forces/energy.h"
#include "amontons/simulation/stepping/step_solver.h"
#include "amontons/simulation/stepping/stepper.h"

#include <memory>
#include <vector>

namespace amontons {

/// Event-driven simulation [Drumwright, Shell 2010, sec. 2.4; docs/theory.md, section 10]: smooth
/// motion up to the instant where shapes meet, an impact there, and contacts that last at the
/// velocity level.
///
/// A step is one of two. An *impact* takes no time: shapes touch and approach faster than
/// rest_speed; the impact model acts on all that touch, with h = 0 and v_free = v. A *motion* leads
/// to the next instant of the scene's steps, or to where shapes meet that are not in sustained
/// contact, found by conservative advancement (impact_search.h). Pairs are in sustained contact
/// that touch and do not leave, or that carried an impulse and would close their gap again; they
/// are solved with the scene's model as a time step is (event_evaluation.h).
///
/// Contacts may also last by the law between forces and accelerations (SustainedContact,
/// force_motion.h); then a motion ends where that law changes what a contact does, too.
///
/// Painleve's configurations, where a sliding contact has no consistent force or several, are named
/// (StepEvents::sliding) and passed through at the velocity level, where impulses need not vanish
/// with the step. Where contacts last by forces that is an impact of its own, though nothing
/// approaches (tangential_impact.h).
///
/// Bounces that follow each other ever faster end at rest_speed, what a bounce of minimum_step has.
/// If there is still no end to events before the next instant, what is near is held as in time
/// stepping until then (StepEvents::zeno): there is always a next step.
class EventStepper : public Stepper {
 public:
  /// @param model   of sustained contacts.
  EventStepper(const System& system, const ContactModel& model, const SimulationSettings& settings,
               ThreadPool* pool = nullptr);

  void step(State& state, StepReport& report) override;
  void report_initial(const State& state, StepReport& report) override;
  void reset() override { prepared_ = false; }
  const TimeSteppingSettings& settings() const override { return settings_; }

 protected:
  /// What a step is: a motion, an impact by the impact model, one of steady contacts by the scene's
  /// model, or one that stops a slip for which there is no force.
  enum class StepKind { Motion, Impact, SustainedImpact, TangentialImpact };

  virtual StepKind next_step_kind(const State& state) const;
  /// Takes from an evaluation what does not belong to the turn: of an impact all that touches, of a
  /// motion the contacts that are held.
  virtual void choose_contacts(StepKind kind, const State& state, StepEvaluation& evaluation) const;
  /// Whether the answer of a motion will do; if not it is tried again with half its length.
  virtual bool accepts(const StepReport& report) const;
  virtual void note_transitions(const State& start, const State& end, StepReport& report) const;

  double rest_speed() const;
  /// Whether there were too many events already since the last instant of the steps.
  static bool is_crowded(const State& state);
  /// Contacts that touch where the step starts, with h = 0.
  const ContactProblem& touching_problem() const { return impact_; }

 private:
  void prepare(const State& state);
  void step_impact(StepKind kind, State& state, StepReport& report);
  void step_motion(State& state, StepReport& report);
  /// @param is_evaluated  whether the evaluation is that of the whole step from this state.
  /// @param by_forces     whether contacts may last by forces, which may end the motion sooner.
  void solve_motion(const State& state, double h, bool is_evaluated, bool by_forces,
                    StepReport& report);
  void select_sustained(const State& state, double h);
  bool give_tangential_impulses(const State& state);
  bool ends_bounces(const State& state) const;
  double time_of_landing(const State& state, const StepReport& report) const;

  const System* system_;
  TimeSteppingSettings settings_;
  double contact_tolerance_;
  std::unique_ptr<ContactModel> impact_model_;
  PrescribedImpulseModel prescribed_impulses_;  ///< before the model of sustained contacts
  StepSolver sustained_solver_, impact_solver_;
  EventEvaluator evaluator_;
  ImpactSearch search_;
  SlidingForces sliding_forces_;
  SystemMotion motion_;
  State start_;
  bool prepared_ = false;
  EventEvaluator::SlidingAssessment sliding_assessment_;  ///< of the forces of what touches there
  StepEvaluation touching_;                               ///< where the coming step starts
  StoredEnergy energy_;                                   ///< there
  std::vector<Contact> touched_;                          ///< where the last step started
  StepEvaluation evaluation_;
  ContactProblem impact_;  ///< what touches, before it is known whether anything approaches
  std::vector<PairOfShapes> sustained_;
};

/// Returns the name of the model that resolves impacts, by the event-driven and hybrid methods:
/// events.impact_model, or the method's own.
std::string impact_model_name(const SimulationSettings& settings);

}  // namespace amontons
