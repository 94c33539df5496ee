#include "amontons/simulation/events/event_stepper.h"

#include "amontons/math/stopwatch.h"
#include "amontons/simulation/detection/passages.h"
#include "amontons/simulation/events/event_length.h"
#include "amontons/simulation/events/impact_model.h"
#include "amontons/simulation/events/step_halving.h"
#include "amontons/simulation/events/tangential_impact.h"
#include "amontons/simulation/events/turning_contacts.h"
#include "amontons/simulation/forces/energy.h"
#include "amontons/simulation/stepping/assembly.h"
#include "amontons/simulation/stepping/motion_certificate.h"
#include "amontons/simulation/stepping/normal_velocity.h"
#include "amontons/simulation/stepping/step_certificate.h"
#include "amontons/simulation/system/warm_start.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace amontons {
namespace {

// Beyond these counts contacts within reach are sustained until the next instant (zeno).
constexpr int kMaxEvents = 500;   // between two instants of the scene's steps
constexpr int kMaxImpacts = 100;  // at one instant

// After so many events between two instants shapes that meet within the minimum step are sustained,
// and forces sustain no contacts: each of their events takes many steps of an integrator.
constexpr int kManyEvents = 20;

// Effort of one motion with its search for impacts, in distances of two boxes: about half a second.
// Later events between two instants have a share of it.
constexpr int kMaxEffort = 200000, kLeastEffort = 5000;

/// Returns the law that contacts obey whose forces are prescribed.
LawKind law_of(SustainedContact sustained) {
  return sustained == SustainedContact::ViscousAcceleration ? LawKind::Viscous : LawKind::Coulomb;
}

}  // namespace

EventStepper::EventStepper(const System& system, const ContactModel& model,
                           const SimulationSettings& settings, ThreadPool* pool)
    : system_(&system),
      settings_(TimeSteppingSettings::from(settings, model.traits())),
      contact_tolerance_(settings.events.contact_tolerance),
      impact_model_(make_impact_model(settings)),
      prescribed_impulses_(model, law_of(settings.events.sustained), settings.acceptable_tolerance),
      sustained_solver_(system, prescribed_impulses_, settings_, pool),
      impact_solver_(system, *impact_model_, settings_, pool),
      evaluator_(system, settings),
      search_(system),
      sustained_(system),
      sliding_forces_(system, 2.0 * settings.events.contact_tolerance),
      motion_(system),
      expectation_(system, evaluator_, search_, motion_, sustained_) {}

double EventStepper::rest_speed() const { return settings_.event_speed(*system_); }

void EventStepper::prepare(const State& state) {
  // Touching contacts decide the kind of the next step.
  evaluator_.evaluate_impact({state.q, state.v, state.time, 0.0}, touching_);
  energy_ = stored_energy(*system_, touching_.kinematics);
  assemble(*system_, touching_, state.v, Eigen::VectorXd::Zero(state.v.size()), state.time,
           settings_.parameters(0.0, *system_), touching_problem_);
  sliding_assessment_ = evaluator_.assess_sliding({state.q, state.v, state.time, 0.0}, touching_);
  prepared_ = true;
}

bool EventStepper::is_crowded(const State& state) {
  return state.events.impacts_here >= kMaxImpacts || state.events.since_instant >= kMaxEvents;
}

EventStepper::StepKind EventStepper::kind_of_next_step(const State& state) const {
  if (is_crowded(state)) return StepKind::Motion;
  // A joint that reaches a limit bounces or stops at once.
  if (evaluator_.approaches_limit(state.q, state.v)) return StepKind::Impact;
  return next_step_kind(state);
}

EventStepper::StepKind EventStepper::next_step_kind(const State& state) const {
  // Where forces sustain contacts, an approach above the touching speed already needs an impact.
  const double speed = evaluator_.touching_speed().value_or(rest_speed());
  for (std::size_t i = 0; i < touching_problem_.num_contacts(); ++i) {
    if (normal_velocity(touching_problem_, i, state.v).approaches(speed)) return StepKind::Impact;
  }
  // Nothing approaches; a slip without a consistent force ends by an impact.
  return sliding_assessment_.law == SlidingLaw::Determined ? StepKind::Motion
                                                           : StepKind::TangentialImpact;
}

void EventStepper::choose_contacts(StepKind, const State&, StepEvaluation&) const {}

bool EventStepper::lands_in_step(const State&, double, double) const { return false; }

bool EventStepper::pair_lands_in_step(const State& state, const PairOfShapes& pair,
                                      double approach) const {
  return lands_in_step(state, approach,
                       system_->pair_properties(pair.first, pair.second).restitution);
}

bool EventStepper::accepts(const StepReport&) const { return true; }

void EventStepper::note_transitions(const State&, const State&, StepReport&) const {}

void EventStepper::step(State& state, StepReport& report) {
  const Stopwatch watch;
  if (!prepared_) prepare(state);
  start_ = state;
  report.start = &start_;
  report.end = &state;
  report.events = {};
  report.evaluation_velocity = Eigen::VectorXd::Zero(state.v.size());
  const StoredEnergy before = energy_;
  try {
    // Without impulses a tangential impact would leave the state unchanged: a motion replaces it.
    StepKind kind = kind_of_next_step(state);
    if (kind == StepKind::TangentialImpact && !give_tangential_impulses(state))
      kind = StepKind::Motion;
    if (kind == StepKind::Motion) {
      step_motion(state, report);
    } else {
      step_impact(kind, state, report);
    }
    note_transitions(start_, state, report);
    ++state.step_count;
    // Contacts that touched at the start need no announcement at the end.
    std::swap(touched_, touching_.contacts);
    prepare(state);
  } catch (...) {
    // A motion that diverges or is stopped leaves the state of the step's start.
    state = start_;
    reset();
    throw;
  }
  finish_certificate(*system_, sustained_solver_.joint_rows(), touching_, touched_, report);
  certify_passages(*system_, start_, evaluation_.kinematics, {}, touching_, report);
  evaluation_.free_motion.drive_impulse(report.solution.velocity, report.drive_impulse);
  const StepEnergies energies{before, energy_, energy_};
  report.energy =
      account_energy(*system_, report.problem, report.solution, evaluation_.free_motion, energies);
  certify_motion(*system_, evaluation_.kinematics, energies, report.problem, report.solution,
                 evaluation_.free_motion, false, report.energy, touching_, report.certificate);
  note_free_motion(evaluation_.free_motion, report.solution);
  report.step_time_s = watch.seconds();
}

void EventStepper::step_impact(StepKind kind, State& state, StepReport& report) {
  report.step = 0.0;
  report.events.impact = true;
  // Counts of events decide when an accumulation of bounces ends.
  ++state.events.impacts_here;
  ++state.events.since_instant;
  evaluation_ = touching_;
  choose_contacts(kind, state, evaluation_);
  report.events.steady = kind == StepKind::SustainedImpact;
  if (kind == StepKind::TangentialImpact) report.events.sliding = sliding_assessment_.law;
  // The scene's model also resolves sustained and tangential impacts.
  StepSolver& solver = kind == StepKind::Impact ? impact_solver_ : sustained_solver_;
  solver.begin(state);
  solver.solve(state, evaluation_.kinematics, evaluation_, report, [] {});
  state.v = report.solution.velocity;
  // Impacts without a solution would repeat at this instant: a motion follows.
  if (report.solution.status == SolveStatus::Infeasible) state.events.impacts_here = kMaxImpacts;
  if (report.events.steady) return;
  // An impulse of a bounce is no sign of sustained contact, so it leaves the warm start.
  std::erase_if(state.warm_start, [&report](const WarmStartEntry& entry) {
    return std::any_of(
        report.problem.contacts.begin(), report.problem.contacts.end(),
        [&entry](const Contact& contact) { return pair_of(contact.key) == pair_of(entry.key); });
  });
}

/// Returns false if the law between impulses and velocities has no impulse either.
bool EventStepper::give_tangential_impulses(const State& state) {
  std::vector<PrescribedImpulseModel::Entry> impulses = tangential_impulses(
      touching_problem_, state.v, sliding_assessment_.contacts, *evaluator_.touching_speed());
  const bool any = !impulses.empty();
  prescribed_impulses_.set_impulses(std::move(impulses));
  return any;
}

/// Selects the pairs in sustained contact from the contacts of a whole step.
void EventStepper::select_sustained(const State& state, double h, bool all_that_close) {
  assemble(*system_, evaluation_, state.v, Eigen::VectorXd::Zero(state.v.size()), state.time,
           settings_.parameters(h, *system_), near_problem_);
  sustained_.select(
      state, touching_problem_, near_problem_,
      {h, rest_speed(), all_that_close, [this, &state](const PairOfShapes& pair, double approach) {
         return pair_lands_in_step(state, pair, approach);
       }});
}

/// Returns true if a contact that would bounce is sustained because its bounces accumulate.
bool EventStepper::ends_bounces(const State& state) const {
  if (settings_.bounces_at_rest) return false;
  for (std::size_t i = 0; i < touching_problem_.num_contacts(); ++i) {
    const Contact& contact = touching_problem_.contacts[i];
    if (!(contact.restitution > 0.0) || has_pair(state.warm_start, contact.key)) continue;
    const NormalVelocity u = normal_velocity(touching_problem_, i, state.v);
    if (u.exceeds_rounding() && sustained_.contains(contact.key)) return true;
  }
  return false;
}

void EventStepper::solve_motion(const State& state, double h, bool is_evaluated, bool by_forces,
                                StepReport& report) {
  const StepStart start{state.q, state.v, state.time, h};
  report.step = h;
  // Contacts and flying trees depend on the step's length and on the servos that are rows.
  const auto evaluate = [&] {
    if (!is_evaluated) {
      evaluator_.evaluate_step(start, sustained_solver_.free_motion_options(), evaluation_);
    }
    is_evaluated = false;
    near_ = pairs_of(evaluation_.contacts);
    evaluator_.keep_sustained_contacts(start, sustained_.pairs(), by_forces, evaluation_);
    choose_contacts(StepKind::Motion, state, evaluation_);
    prescribed_impulses_.set_impulses(evaluator_.given_impulses());
  };
  sustained_solver_.begin(state);
  evaluate();
  sustained_solver_.solve(attempt_, evaluation_.kinematics, evaluation_, report, evaluate);
  // The next attempt of this motion starts from this solution.
  keep_impulses(report.problem, report.solution, state, attempt_);
}

void EventStepper::solve_as_time_stepping(const State& state, double whole, StepReport& report) {
  // Impulses may close gaps that open without them. Bound: each pass adds a pair in reach.
  for (bool is_evaluated = true;; is_evaluated = false) {
    solve_motion(state, whole, is_evaluated, false, report);
    if (!sustained_.add_closing(report.solution.velocity)) return;
  }
}

/// Returns the time at which a further point of a sustained pair lands faster than at rest, unless
/// it lands in the step [s]; infinite if none does.
double EventStepper::time_of_landing(const State& state, const StepReport& report) const {
  const ContactProblem& problem = report.problem;
  double first = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    const double gap = problem.contacts[i].gap;
    if (gap <= 2.0 * contact_tolerance_) continue;
    // Only a point that the solution loads would have acted across its gap.
    if (!(report.solution.impulses(ContactProblem::row(i) + 2) > 0.0)) continue;
    const double closing = -normal_velocity(problem, i, state.v).value;
    if (!(closing > rest_speed()) ||
        pair_lands_in_step(state, pair_of(problem.contacts[i].key), closing))
      continue;
    if (gap / closing >= *settings_.minimum_step) first = std::min(first, gap / closing);
  }
  return first;
}

ImpactSearchRules EventStepper::search_rules(const State& state) const {
  ImpactSearchRules rules;
  rules.nearest = state.events.since_instant >= kManyEvents ? *settings_.minimum_step : 0.0;
  // Only a pair whose contacts the motion has can land in it.
  rules.lands_in_step = [this, &state](const PairOfShapes& pair, double approach) {
    return std::binary_search(near_.begin(), near_.end(), pair) &&
           pair_lands_in_step(state, pair, approach);
  };
  return rules;
}

double EventStepper::solve_to_event(const State& state, double whole, StepReport& report) {
  bool by_forces = state.events.since_instant < kManyEvents, opens = false;
  ImpactSearchRules rules = search_rules(state);
  const int most = std::max(kLeastEffort, kMaxEffort / (1 + state.events.since_instant));
  near_ = pairs_of(near_problem_.contacts);
  const ExpectedEvent expected = expectation_.find({state.q, state.v, state.time, whole}, near_,
                                                   contact_tolerance_, rules, most / 2);
  num_unfinished_ += expected.num_unfinished;
  rules.searched_trees = expectation_.searched_trees();
  std::int64_t effort = expected.effort;
  bool is_guess = expected.length < expected.first_of_flights;
  double h = expected.length;
  StepHalving halving(shortest_step(settings_.steps));
  EventLength lengths;
  // Shorten the motion until nothing meets within it.
  for (int i = 0; i < EventLength::kMaxAttempts && effort < most; ++i) {
    solve_motion(state, h, i == 0 && h == whole, by_forces, report);
    effort += evaluator_.effort();
    const bool passes = passes_through(*system_, touching_.kinematics, state.q,
                                       report.solution.velocity, h, report.problem.contacts);
    const double other = halving.next(h, accepts(report), passes, report.solution.status);
    if (other != h) {
      h = other;
      is_guess = false;
      continue;
    }
    // Search for shapes that meet, other than sustained pairs. A pair that forces open is searched.
    const std::vector<PairOfShapes>& opened = evaluator_.opened_pairs();
    opens = opens || !opened.empty();
    sustained_.remove(opened);
    const StepStart start{state.q, state.v, state.time, h};
    evaluator_.begin_motion(start, report.solution.velocity, motion_);
    rules.left_out = sustained_.unsearched(near_);
    const FirstImpact first =
        search_.find_first(motion_, h, contact_tolerance_, rules, most - effort);
    effort += first.effort;
    if (first.status == ImpactStatus::Unfinished) return 0.0;
    num_unfinished_ += first.unfinished.size();
    // Slow touches and accumulating bounces are sustained; by impulses where forces opened some.
    if (sustained_.add(first)) {
      by_forces = by_forces && !opens;
      continue;
    }
    // The earliest event ends the motion; a joint at its limit is one, unless events crowd.
    const double limit = evaluator_.time_of_limit();
    const double turned =
        time_of_turning_contact(*system_, state, touching_.kinematics, report, contact_tolerance_);
    const double event = std::min({first.elapsed, time_of_landing(state, report), turned,
                                   evaluator_.end_of_motion(h), limit < rules.nearest ? h : limit});
    const double next = lengths.next(h, event, is_guess ? expected.first_of_flights : h);
    if (next == h) return h;
    h = next;
    is_guess = false;
  }
  return 0.0;
}

void EventStepper::note_effort(const State& start, StepReport& report) const {
  const auto note = [&report](const char* method, SolveStatus status, std::string remark) {
    report.solution.attempts.push_back({method, status, 0, 0.0, std::move(remark)});
  };
  const SolveStatus forces = evaluator_.force_status();
  if (forces == SolveStatus::IterationLimit || forces == SolveStatus::NumericalFailure) {
    note("contact by forces", forces, "too stiff; contacts at the velocity level");
  } else if (evaluator_.touching_speed() && report.problem.num_contacts() > 0 &&
             start.events.since_instant >= kManyEvents) {
    note("contact by forces", SolveStatus::IterationLimit,
         "too many events; contacts at the velocity level up to the next instant");
  }
  if (num_unfinished_ > 0) {
    note("search of impacts", SolveStatus::IterationLimit,
         std::to_string(num_unfinished_) +
             " pairs of shapes move too fast for it; contacts as in time stepping");
  }
  if (!found_event_) {
    note("search of impacts", SolveStatus::IterationLimit,
         "it ran out of effort; contacts as in time stepping up to the next instant");
  }
}

void EventStepper::step_motion(State& state, StepReport& report) {
  const double end = settings_.next_time(state.time), whole = end - state.time;
  // Contacts are sought for the whole way to the next instant of the scene's steps.
  sustained_solver_.begin(state);
  const auto evaluate_whole = [&] {
    evaluator_.evaluate_step({state.q, state.v, state.time, whole},
                             sustained_solver_.free_motion_options(), evaluation_);
  };
  evaluate_whole();
  const bool crowded = is_crowded(state);
  select_sustained(state, whole, crowded);
  report.events.zeno = crowded || ends_bounces(state);
  num_unfinished_ = 0;
  attempt_ = state;
  double h = crowded ? 0.0 : solve_to_event(state, whole, report);
  found_event_ = crowded || h > 0.0;
  if (!(h > 0.0)) {
    expectation_.forget();
    h = whole;
    if (!crowded) {
      evaluate_whole();
      select_sustained(state, whole, true);
    }
    solve_as_time_stepping(state, whole, report);
  }
  note_effort(state, report);
  report.events.by_forces = static_cast<std::int32_t>(evaluator_.given_impulses().size());
  report.events.force_error = evaluator_.force_error();
  // Painleve's configurations are reported also where the velocity level solves them.
  report.events.sliding =
      evaluator_.touching_speed()
          ? sliding_assessment_.law
          : sliding_forces_.assess_sliding(evaluation_.kinematics, report.problem, rest_speed());
  report.events.arrival = h < kSameInstantShare * whole;
  const StepStart start{state.q, state.v, state.time, h};
  // Whole steps end at the scene's instants exactly, without a sum of lengths.
  const Eigen::VectorXd q_next = evaluator_.end_positions(start, report.solution.velocity);
  state.q = q_next;
  state.v = report.solution.velocity;
  state.time = report.events.arrival ? state.time + h : end;
  expectation_.note_end(state);
  state.events = {report.events.arrival ? state.events.since_instant + 1 : 0, 0};
  keep_impulses(report.problem, report.solution, start_, state);
}

void EventStepper::report_initial(const State& state, StepReport& report) {
  if (!prepared_) prepare(state);
  report_state(*system_, sustained_solver_.joint_rows(), touching_, state, report);
}

}  // namespace amontons
