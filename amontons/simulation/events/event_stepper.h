#pragma once

#include "amontons/models/common/contact_model.h"
#include "amontons/models/decorators/prescribed_impulse_model.h"
#include "amontons/simulation/events/event_evaluation.h"
#include "amontons/simulation/events/expected_event.h"
#include "amontons/simulation/events/impact_search.h"
#include "amontons/simulation/events/sliding_forces.h"
#include "amontons/simulation/events/sustained_pairs.h"
#include "amontons/simulation/events/system_motion.h"
#include "amontons/simulation/forces/energy.h"
#include "amontons/simulation/stepping/step_solver.h"
#include "amontons/simulation/stepping/stepper.h"

#include <memory>
#include <vector>

namespace amontons {

/// Simulates by events [Drumwright, Shell 2010, sec. 2.4; docs/theory.md, section 10]: smooth
/// motion up to the instant where shapes meet, an impact there, and sustained contacts at the
/// velocity level. docs/theory/events.md has the method.
///
/// An *impact* takes no time: shapes touch and approach faster than rest_speed. The impact model
/// acts on all that touch, with h = 0 and v_free = v. A *motion* leads to the next instant of the
/// scene's steps, or to where other shapes meet, found by conservative advancement
/// (impact_search.h). Pairs are in sustained contact that touch and do not leave, or that carried
/// an impulse and would close their gap again. The scene's model solves them as in a time step
/// (event_evaluation.h). Contacts may also be sustained by the law between forces and accelerations
/// (SustainedContact, force_motion.h). A motion then also ends where that law changes the state of
/// a contact.
///
/// In Painleve's configurations a sliding contact has no consistent force, or several. They are
/// reported (StepEvents::sliding) and solved at the velocity level, where impulses need not vanish
/// with the step. Where forces sustain contacts this is an impact of its own, though nothing
/// approaches (tangential_impact.h).
///
/// Bounces that follow each other ever faster end at rest_speed, that of a bounce of minimum_step.
/// If events still accumulate, near contacts are sustained as in time stepping until the next one
/// (StepEvents::zeno). So are the contacts of shapes that move too fast for the search of impacts,
/// whose effort is bounded by count; an attempt of the solution says so. There is always a next
/// step.
class EventStepper : public Stepper {
 public:
  /// @param model   model of sustained contacts.
  EventStepper(const System& system, const ContactModel& model, const SimulationSettings& settings,
               ThreadPool* pool = nullptr);

  void step(State& state, StepReport& report) override;
  void report_initial(const State& state, StepReport& report) override;
  void reset() override {
    prepared_ = false;
    expectation_.forget();
  }
  void number_after(std::int64_t) override {}  // its solutions have no numbers
  const TimeSteppingSettings& settings() const override { return settings_; }

 protected:
  /// Names the kind of a step. Motion: time advances. Impact: the impact model acts.
  /// SustainedImpact: the scene's model stops sustained contacts. TangentialImpact: it stops a slip
  /// that no force can sustain.
  enum class StepKind { Motion, Impact, SustainedImpact, TangentialImpact };

  /// Returns the kind of the next step from this state, by its contacts.
  virtual StepKind next_step_kind(const State& state) const;
  /// Removes contacts and restitution that do not belong to the kind of step. For an impact the
  /// evaluation holds all touching contacts, for a motion the sustained ones.
  virtual void choose_contacts(StepKind kind, const State& state, StepEvaluation& evaluation) const;
  /// Returns true if a contact that comes to touch at this approach speed [m/s] is sustained by the
  /// motion from `state` in which it lands, as in time stepping. Else its landing ends the motion.
  virtual bool lands_in_step(const State& state, double approach, double restitution) const;
  /// Returns true if the solution of a motion is accepted; else the motion is repeated with half
  /// its length, as where shapes pass through each other.
  virtual bool accepts(const StepReport& report) const;
  /// Writes the pairs of shapes that change between bouncing and sustained contact.
  virtual void note_transitions(const State& start, const State& end, StepReport& report) const;

  /// Returns the approach speed below which contacts do not bounce [m/s].
  double rest_speed() const;
  /// Returns the contacts that touch where the step starts, with h = 0.
  const ContactProblem& touching_problem() const { return touching_problem_; }

 private:
  /// Evaluates what touches at the state, and its energy.
  void prepare(const State& state);
  /// Returns true after too many events since the last instant of the steps, or too many impacts at
  /// this one.
  static bool is_crowded(const State& state);
  /// Returns the kind of the next step from this state, by its joints and contacts.
  StepKind kind_of_next_step(const State& state) const;
  void step_impact(StepKind kind, State& state, StepReport& report);
  void step_motion(State& state, StepReport& report);
  /// Solves a motion of length h [s] from the state.
  /// @param is_evaluated  true: the evaluation is that of the whole step from this state.
  /// @param by_forces     true: forces may sustain contacts, which may end the motion sooner.
  void solve_motion(const State& state, double h, bool is_evaluated, bool by_forces,
                    StepReport& report);
  /// Solves a motion of `whole` [s], to the next instant of the scene's steps, with the contacts of
  /// time stepping. @pre The evaluation and the sustained pairs are those of the whole motion.
  void solve_as_time_stepping(const State& state, double whole, StepReport& report);
  /// Returns the rules of a search; valid as long as the state is.
  ImpactSearchRules search_rules(const State& state) const;
  /// Finds and solves a motion of `whole` [s] at most that ends where shapes meet, and returns its
  /// length. It returns 0 where effort runs out: no motion is found then.
  double solve_to_event(const State& state, double whole, StepReport& report);
  /// Returns lands_in_step() of two shapes.
  bool pair_lands_in_step(const State& state, const PairOfShapes& pair, double approach) const;
  /// Selects the pairs in sustained contact for a step of length h [s].
  /// @param all_that_close  true: all that close their gaps within the step.
  void select_sustained(const State& state, double h, bool all_that_close);
  /// Adds attempts to the solution that say what the events of a motion could not do.
  void note_effort(const State& start, StepReport& report) const;
  /// Prescribes the impulses of a tangential impact; returns false if there are none.
  bool give_tangential_impulses(const State& state);
  /// Returns true if a bouncing contact becomes sustained because its bounces accumulate.
  bool ends_bounces(const State& state) const;
  /// Returns the time at which a further point of a sustained pair lands [s].
  double time_of_landing(const State& state, const StepReport& report) const;

  const System* system_;
  TimeSteppingSettings settings_;
  double contact_tolerance_;
  std::unique_ptr<ContactModel> impact_model_;
  PrescribedImpulseModel prescribed_impulses_;  ///< wraps the model of sustained contacts
  StepSolver sustained_solver_, impact_solver_;
  EventEvaluator evaluator_;
  ImpactSearch search_;
  SustainedPairs sustained_;
  SlidingForces sliding_forces_;
  SystemMotion motion_;
  EventExpectation expectation_;
  State start_;
  State attempt_;  ///< start of a motion, with the impulses of its last attempt
  bool prepared_ = false;
  EventEvaluator::SlidingAssessment sliding_assessment_;  ///< forces at the touching contacts
  StepEvaluation touching_;       ///< contacts that touch where the coming step starts
  StoredEnergy energy_;           ///< energy there
  std::vector<Contact> touched_;  ///< contacts that touched where the last step started
  StepEvaluation evaluation_;
  ContactProblem touching_problem_;  ///< problem of all touching contacts, approaching or not
  ContactProblem near_problem_;      ///< problem of all contacts in reach of the whole step
  std::vector<PairOfShapes> near_;   ///< pairs within the horizon of the motion last solved, sorted
  std::size_t num_unfinished_ = 0;   ///< pairs that the search for impacts gave up, of a motion
  bool found_event_ = true;          ///< false: a motion's effort ran out
};

}  // namespace amontons
