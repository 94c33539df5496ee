#include "amontons/io/verify/rebuilt_step.h"

#include "amontons/io/verify/verification_checks.h"
#include "amontons/io/verify/verify_island.h"
#include "amontons/math/same_bits.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/simulation/detection/passages.h"
#include "amontons/simulation/events/impact_model.h"
#include "amontons/simulation/stepping/assembly.h"
#include "amontons/simulation/stepping/correction_limits.h"
#include "amontons/simulation/stepping/normal_velocity.h"
#include "amontons/simulation/stepping/projection.h"
#include "amontons/simulation/stepping/step_certificate.h"
#include "amontons/simulation/system/law_tally.h"
#include "amontons/simulation/system/warm_start.h"

#include <algorithm>

namespace amontons::io {
namespace {

/// Returns the traits of a model.
ModelTraits traits_of(const std::string& model) {
  return make_model(model, ModelSettings{})->traits();
}

/// Returns the rows of joints that a model asks for.
JointRows joint_rows_for(const System& system, const TimeSteppingSettings& settings,
                         const std::string& model) {
  return {system, settings.joint_friction == JointFriction::Coupled,
          traits_of(model).needs_all_rows};
}

}  // namespace

RebuiltStep::RebuiltStep(const Scene& scene)
    : system_(scene),
      simulation_(scene.simulation),
      settings_(TimeSteppingSettings::from(scene.simulation, traits_of(scene.simulation.model))),
      joint_rows_(joint_rows_for(system_, settings_, scene.simulation.model)),
      rows_of_impacts_(joint_rows_for(system_, settings_, impact_model_name(scene.simulation))),
      detector_(system_) {
  acceptable_tolerance_ = simulation_.acceptable_tolerance;
  is_hybrid_ = simulation_.method == "hybrid";
  is_impulse_based_ = simulation_.method == "impulse-based";
  prepare();
}

void RebuiltStep::prepare() {
  joint_rows_ = joint_rows_for(system_, settings_, simulation_.model);
  rows_of_impacts_ = joint_rows_for(system_, settings_, impact_model_name(simulation_));
  detector_ = ContactDetector(system_);
  if (settings_.post_stabilization > 0) post_stabilization_.emplace(system_);
  sliding_forces_.emplace(system_, 2.0 * simulation_.events.contact_tolerance);
  if (simulation_.method == "time-stepping") return;
  events_ = std::make_unique<EventEvaluator>(system_, simulation_);
}

void RebuiltStep::set_commands(const RunRow& row) {
  const Commands commands = commands_of(system_, row);
  const bool changes = commands.changes != system_.commands().changes;
  system_.set_commands(commands);
  if (changes) prepare();
}

const JointRows& RebuiltStep::joint_rows_of(const RunRow& row) const {
  // Impacts of contacts that do not bounce, and those that end a slip, have the scene's model.
  const bool bounces =
      row.events.impact && !row.events.steady && row.events.sliding == SlidingLaw::Determined;
  return bounces ? rows_of_impacts_ : joint_rows_;
}

void RebuiltStep::rebuild(const RunRow& row) {
  // The state in which the step began.
  compute_kinematics(system_, row.q_start, row.v_start, row.time_start, start_kinematics_);
  // Which limits and effort bounds are rows is a choice of the run.
  std::vector<BoundedRow> recorded;
  for (const RunBoundedRow& bounded : row.bounded_rows) recorded.push_back(bounded.row);
  const JointRows& joint_rows = joint_rows_of(row);
  selection_ = joint_rows.selection_of(recorded, row.step);
  // M (v+ - v_free) = J_C'p + J'c + L'f, with the parameters of a step of this length.
  coupled_ = {row.v_coupled, row.coupled_damping};
  evaluate(row);
  if (find_undamped_trees(row)) evaluate(row);
  joint_rows.exclude_trees(evaluation_.integrated, selection_);
  assemble(system_, evaluation_, row.v_start, row.v_eval, row.time_start,
           settings_.parameters(row.step, system_), problem_);
  joint_rows.assemble(selection_, start_kinematics_, row.step, problem_);
  limit_corrections(system_, start_kinematics_, problem_);
  if (leaves_correction(row)) {
    problem_.joint_correction = Eigen::VectorXd::Zero(problem_.joint_error.size());
  }
}

// The run itself chooses that a correction which contacts would turn into a throw is left. The
// errors then stay, which the following rows show.
bool RebuiltStep::leaves_correction(const RunRow& row) const {
  constexpr double kShare = 1e-6;  // of the correction, below which a velocity makes none [-]
  if (problem_.joint_error.size() == 0 || row.step == 0.0 || row.contacts.empty()) return false;
  const Eigen::VectorXd rate = problem_.joint_jacobian * row.v + problem_.joint_bias;
  const Eigen::VectorXd correction = problem_.joint_target() + problem_.joint_bias;
  return rate.lpNorm<Eigen::Infinity>() <= kShare * correction.lpNorm<Eigen::Infinity>();
}

// The run itself chooses which trees it couples and damps. All others have the end velocity that
// was expected of them, and no damping, without which their free motion must be the recorded one.
bool RebuiltStep::find_undamped_trees(const RunRow& row) {
  constexpr double kDamped = 1e-9;  // deviation of the free motion that damping makes [-]
  const auto& trees = system_.articulations();
  bool found = false;
  coupled_.undamped.assign(trees.size(), 0);
  for (std::size_t a = 0; a < trees.size() && coupled_.damping > 0.0; ++a) {
    const Eigen::Index v0 = system_.v_offset(static_cast<int>(a)), n = trees[a].num_velocities();
    if (!coupled_.damps(a, v0, n)) continue;
    const double off =
        deviation(row.v_free.segment(v0, n), evaluation_.free_motion.velocity.segment(v0, n));
    coupled_.undamped[a] = off > kDamped;
    found = found || coupled_.undamped[a];
  }
  return found;
}

// The run itself chooses which pairs are in sustained contact. If the choice leaves an overlap, the
// next row shows it.
void RebuiltStep::evaluate(const RunRow& row) {
  const StepStart start{row.q_start, row.v_start, row.time_start, row.step};
  const FreeMotionOptions options{
      selection_.servos, settings_.joint_friction, nullptr, {}, &coupled_};
  const bool leaves_out_passing =
      !events_ && !settings_.evaluates_ahead() && row.closing_speed == 0.0;
  const ClosingSpeed closing{settings_.closing_speed(row.step), row.closing_speed,
                             leaves_out_passing};
  // An impact takes no time. Hybrid motion lets only some of its contacts bounce.
  if (events_ && row.step == 0.0) {
    events_->evaluate_impact(start, evaluation_);
    if (is_hybrid_ || is_impulse_based_) keep_recorded_contacts(row);
  } else if (events_) {
    // Between events: pairs in sustained contact stay so for the whole step.
    events_->evaluate_step(start, options, evaluation_);
    events_->keep_sustained_contacts(start, pairs_of(row.contacts), row.events.by_forces > 0,
                                     evaluation_);
    if (is_hybrid_) zero_restitution(evaluation_);
  } else if (settings_.evaluates_ahead()) {
    evaluate_ahead(system_, detector_, start, row.v_eval, closing, options, evaluation_);
  } else {
    evaluate_at_start(system_, detector_, start, closing, options, evaluation_);
  }
}

// The run itself chooses which contacts bounce. If a contact is left out although it approaches,
// the following rows show the overlap.
void RebuiltStep::keep_recorded_contacts(const RunRow& row) {
  if (row.events.steady) {
    zero_restitution(evaluation_);
    return;
  }
  std::erase_if(evaluation_.contacts, [&row](const Contact& contact) {
    return std::none_of(row.contacts.begin(), row.contacts.end(),
                        [&contact](const RunContact& own) { return own.key == contact.key; });
  });
}

RebuiltStep::ExpectedMotion RebuiltStep::expected_motion(const RunRow& row) const {
  const bool follows = !row.start_was_set && row.step_count == before_.step_count + 1 &&
                       same_bits(row.q_start, before_.q) && same_bits(row.v_start, before_.v);
  LinkedInertiaStep linkages;
  LastImpulses last;
  joint_rows_of(row).last_impulses(follows ? before_ : State{}, row.step, last);
  FreeMotionOptions options{selection_.servos, settings_.joint_friction};
  options.linked = &linkages.compute(system_, start_kinematics_, row.v_start, row.step);
  if (settings_.joint_friction == JointFriction::Coupled) options.expected = &last;
  FreeMotion motion;
  compute_free_motion(system_, start_kinematics_, row.q_start, row.v_start, row.time_start,
                      row.step, options, motion);
  return {motion.coupled_velocity, motion.velocity, follows};
}

void RebuiltStep::forget_impulses(const RunRow& row) {
  before_ = {};
  before_.q = row.q;
  before_.v = row.v;
  before_.step_count = row.step_count;
}

void RebuiltStep::keep_impulses(const RunRow& row) {
  forget_impulses(row);
  const ContactSolution solution = recorded_solution(row, problem_);
  amontons::keep_impulses(problem_, solution, {}, before_);
  before_.contact_impulse = lasting_impulse(problem_, solution);
}

Eigen::VectorXd RebuiltStep::end_positions(const RunRow& row) {
  State end;
  // q = q_start (+) h v, or the integrator's own rule between events.
  if (events_ && row.step > 0.0) {
    end.q = events_->end_positions({row.q_start, row.v_start, row.time_start, row.step}, row.v);
  } else {
    end.q = integrate_positions(system_, row.q_start, row.v, row.step);
  }
  end.v = row.v;
  end.time = row.time;
  if (settings_.projection) project_on_joints(system_, end);
  if (post_stabilization_) post_stabilization_->apply(settings_.post_stabilization, end);
  return end.q;
}

StepEnergies RebuiltStep::energies(const RunRow& row, const SystemKinematics& end) const {
  const StoredEnergy at_end = stored_energy(system_, end);
  StepEnergies result{stored_energy(system_, start_kinematics_), at_end, at_end};
  if (!events_ && (settings_.projection || post_stabilization_)) {
    SystemKinematics moved;
    compute_kinematics(system_, integrate_positions(system_, row.q_start, row.v, row.step), row.v,
                       row.time, moved);
    result.moved = stored_energy(system_, moved);
  }
  return result;
}

bool RebuiltStep::has_all_rows(const RunRow& row) const {
  JointRowSelection needed = selection_;
  return joint_rows_of(row).extend(start_kinematics_, row.v, row.step, needed) ==
         JointRows::Missing::Nothing;
}

const StepEvaluation& RebuiltStep::evaluate_end(const RunRow& row) {
  const StepStart next{row.q, row.v, row.time, settings_.step_size(row.step_count)};
  amontons::evaluate_end(system_, detector_, next, {settings_.closing_speed(next.step)}, end_);
  return end_;
}

std::vector<std::size_t> RebuiltStep::missed_contacts(const RunRow& row) {
  // Shapes that touch at the start of a motion between events need no announcement.
  touching_.contacts.clear();
  if (events_) evaluate_touching(row);
  return amontons::missed_contacts(end_.contacts, problem_.contacts, touching_.contacts);
}

std::size_t RebuiltStep::num_passages(const RunRow& row) const {
  if (row.step == 0.0) return 0;
  return passed_pairs(system_, start_kinematics_, row.q_start, row.v, row.step, end_.kinematics,
                      problem_.contacts, evaluation_.passing)
      .size();
}

double RebuiltStep::rest_speed() const { return settings_.event_speed(system_); }

void RebuiltStep::evaluate_touching(const RunRow& row) {
  events_->evaluate_impact({row.q_start, row.v_start, row.time_start, 0.0}, touching_);
  assemble(system_, touching_, row.v_start, Eigen::VectorXd::Zero(row.v_start.size()),
           row.time_start, settings_.parameters(0.0, system_), touching_problem_);
}

std::int32_t RebuiltStep::num_by_forces() const {
  return static_cast<std::int32_t>(events_->given_impulses().size());
}

SlidingLaw RebuiltStep::sliding_law(const RunRow& row) {
  const std::optional<double> touching_speed = events_->touching_speed();
  evaluate_touching(row);
  // Without contact forces a motion is assessed with its own contacts, an impact is not.
  if (!touching_speed) {
    if (row.step == 0.0) return SlidingLaw::Determined;
    return sliding_forces_->assess_sliding(evaluation_.kinematics, problem_, rest_speed());
  }
  // An impact of approaching contacts says nothing of sliding; one of sliding contacts does.
  for (std::size_t i = 0; row.step == 0.0 && i < touching_problem_.num_contacts(); ++i) {
    if (normal_velocity(touching_problem_, i, row.v_start).approaches(*touching_speed)) {
      return SlidingLaw::Determined;
    }
  }
  return events_->assess_sliding({row.q_start, row.v_start, row.time_start, 0.0}, touching_).law;
}

bool RebuiltStep::is_steady_impact(const RunRow& row) {
  if (!is_hybrid_) return false;
  if (events_->approaches_limit(row.q_start, row.v_start)) return false;
  evaluate_touching(row);
  // Bouncing contacts come first: e |u_n| above the rest speed.
  for (std::size_t i = 0; i < touching_problem_.num_contacts(); ++i) {
    const NormalVelocity u = normal_velocity(touching_problem_, i, row.v_start);
    const double e = touching_problem_.contacts[i].restitution;
    if (u.approaches(0.0) && -e * u.value > rest_speed()) return false;
  }
  return true;
}

Infeasibility RebuiltStep::infeasibility() const {
  return measure_infeasibility(system_, joint_rows_, end_);
}

std::string RebuiltStep::contact_name(int index) const {
  if (index < 0 || index >= static_cast<int>(problem_.contacts.size())) return "";
  const Contact& contact = problem_.contacts[static_cast<std::size_t>(index)];
  return names_of_bodies(system_, contact.body_a, contact.body_b) + ", contact " +
         std::to_string(index);
}

std::string RebuiltStep::bounded_name(int row) const {
  if (row < 0 || row >= static_cast<int>(problem_.bounded_rows.size())) return "";
  return name_of(system_, problem_.bounded_rows[static_cast<std::size_t>(row)]);
}

std::string RebuiltStep::joint_name(int row) const {
  for (const JointCoordinate& joint : system_.joints()) {
    if (row >= joint.first_row && row < joint.first_row + joint.num_rows) return joint.name;
  }
  return "";
}

}  // namespace amontons::io
