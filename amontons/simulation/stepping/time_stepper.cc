#include "amontons/simulation/stepping/time_stepper.h"

#include "amontons/math/effort.h"
#include "amontons/math/same_bits.h"
#include "amontons/math/stopwatch.h"
#include "amontons/simulation/stepping/projection.h"
#include "amontons/simulation/stepping/step_certificate.h"

#include <algorithm>
#include <string>
#include <utility>

namespace amontons {
namespace {

// Position iterations end when the step's displacement settles to this [m or rad].
constexpr double kPositionTolerance = 1e-10;

// Maximum number of retries with a wider contact horizon.
constexpr std::size_t kMaxHorizonRetries = 4;
// Factor by which the new horizon exceeds that of the rejected solution.
constexpr double kHorizonGrowth = 1.25;

// Maximum number of repetitions with inertial forces of the step's own motion.
constexpr int kMaxCouplings = 16;

/// Compares two states bit by bit, without their times.
bool same_bits(const State& x, const State& y) {
  return amontons::same_bits(x.q, y.q) && amontons::same_bits(x.v, y.v) &&
         x.warm_start_step == y.warm_start_step &&
         amontons::same_bits(x.contact_impulse, y.contact_impulse) &&
         std::equal(x.warm_start.begin(), x.warm_start.end(), y.warm_start.begin(),
                    y.warm_start.end(), [](const WarmStartEntry& a, const WarmStartEntry& b) {
                      return a.key == b.key && amontons::same_bits(a.impulse_W, b.impulse_W);
                    });
}

}  // namespace

TimeStepper::TimeStepper(const System& system, const ContactModel& model,
                         TimeSteppingSettings settings, ThreadPool* pool)
    : system_(&system),
      settings_(std::move(settings)),
      solver_(system, model, settings_, pool),
      detector_(system),
      expects_impulses_(
          std::any_of(system.articulations().begin(), system.articulations().end(),
                      [](const Articulation& tree) { return !is_single_body(tree); })),
      resting_(system) {
  if (settings_.post_stabilization > 0) post_stabilization_.emplace(system);
}

ClosingSpeed TimeStepper::closing_speed(double step) const {
  // A step that is repeated has all contacts, and one that evaluates ahead those of its end.
  ClosingSpeed closing = closing_speed_;
  closing.v_max = settings_.closing_speed(step);
  closing.leaves_out_passing = closing.least == 0.0 && !settings_.evaluates_ahead();
  return closing;
}

FreeMotionOptions TimeStepper::motion_options(std::span<const char> kept,
                                              const CoupledInertia* coupled) const {
  FreeMotionOptions options = solver_.free_motion_options(kept, coupled);
  // The published forms of joint friction follow the motion without it.
  if (expects_impulses_ && options.friction == JointFriction::Coupled)
    options.expected = &last_impulses_;
  return options;
}

void TimeStepper::prepare(const State& state, const CoupledInertia* coupled) {
  solver_.begin(state);
  StepStart& start = coming_;
  start.q = state.q;
  start.v = state.v;
  start.time = state.time;
  start.step = settings_.step_size(state.step_count);
  if (expects_impulses_) solver_.joint_rows().last_impulses(state, start.step, last_impulses_);
  const FreeMotionOptions options = motion_options(resting_.trees(), coupled);
  // The evaluation serves the coming step, and shows the overlaps at the end of the last one.
  if (prepared_ == Prepared::Motion) {
    evaluate_commands(*system_, detector_, start, closing_speed(start.step), options, *at_start_);
  } else {
    evaluate_at_start(*system_, detector_, start, closing_speed(start.step), options, *at_start_);
    energy_at_start_ = stored_energy(*system_, at_start_->kinematics);
  }
  prepared_ = Prepared::Everything;
}

void TimeStepper::prepare_whole(const State& state, const CoupledInertia* coupled) {
  reset();
  prepare(state, coupled);
}

void TimeStepper::note_resting_trees(const State& state, const StepReport& report) {
  if (!resting_.empty()) {
    resting_.note_others(start_, state, report.problem, at_start_->contacts);
    return;
  }
  // Contacts depend on the horizon, and those of laws that couple islands on all others.
  const FreeMotion& free_motion = at_last_start_->free_motion;
  if (report.closing_speed == 0.0 && !settings_.evaluates_ahead() &&
      settings_.post_stabilization == 0 && !couples_islands(report.law_asked) &&
      free_motion.inertial_status() == SolveStatus::Converged &&
      free_motion.integration_status == SolveStatus::Converged) {
    resting_.note(start_, state, report, at_start_->contacts);
  }
}

void TimeStepper::update_resting_part(const State& state) {
  const bool same_length = amontons::same_bits(step_, settings_.step_size(state.step_count));
  if (!resting_.empty()) {
    // What something touches takes part again, and all trees where more of them have come to rest.
    const bool is_touched = resting_.is_touched(at_start_->contacts) || resting_.has_commands();
    if (!same_length || is_touched || resting_.should_grow()) prepare_whole(state);
  } else if (same_length && !resting_.has_commands()) {
    const auto solve = [this](const ContactProblem& part, const Eigen::VectorXd& warm_start) {
      return solver_.solve_part(part, warm_start);
    };
    resting_.hold(state, solve, at_start_->contacts);
  }
}

bool TimeStepper::starts_as_last_step(const State& state) const {
  return prepared_ == Prepared::Everything && solution_number_ > 0 &&
         amontons::same_bits(step_, settings_.step_size(state.step_count)) &&
         !system_->depends_on_time() && same_bits(state, start_);
}

void TimeStepper::count_step(State& state) const {
  ++state.step_count;
  state.time = settings_.time_of(state.step_count);
}

void TimeStepper::step(State& state, StepReport& report) {
  const Stopwatch watch;
  const bool repeats = starts_as_last_step(state);
  // Nothing that the step reads has changed, so that the report needs new times alone.
  if (repeats && report.start == &start_ && report.solution_number == solution_number_) {
    start_.step_count = state.step_count;
    start_.time = state.time;
    count_step(state);
    report.end = &state;
    report.solve_time_s = 0.0;
    report.step_time_s = watch.seconds();
    return;
  }
  try {
    if (prepared_ != Prepared::Everything) prepare(state);
    update_resting_part(state);
  } catch (...) {
    reset();
    throw;
  }
  // Equal steps share a solution number, so that observers may skip them.
  if (!repeats) ++solution_number_;
  const bool is_whole = resting_.empty();
  StepReport& own = is_whole ? report : moving_;
  // An exception leaves this number, which matches no solution.
  own.solution_number = 0;
  start_ = state;
  own.step = step_ = settings_.step_size(state.step_count);
  // The retries overwrite the energy at the start.
  const StoredEnergy before = energy_at_start_;

  try {
    step_with_coupled_inertia(state, own);
  } catch (...) {
    // A motion that diverges or is stopped leaves the state of the step's start.
    state = start_;
    reset();
    throw;
  }
  finish(before, own);
  note_resting_trees(state, own);
  if (!resting_.empty()) {
    resting_.complete(own, report);
    // The sums of a whole step, in its order.
    if (resting_.stabilizes()) {
      report.energy = account_energy(*system_, report.problem, report.solution,
                                     evaluation().free_motion, energies_since(before));
    }
  } else if (!is_whole) {
    std::swap(own, report);
  }
  report.start = &start_;
  report.end = &state;
  report.step_time_s = watch.seconds();
}

StepEnergies TimeStepper::energies_since(const StoredEnergy& before) const {
  return {before, uncorrected_.value_or(energy_at_start_), energy_at_start_};
}

void TimeStepper::finish(const StoredEnergy& before, StepReport& report) {
  // Energies follow from the impulses and the free motion of the problem that was solved.
  const FreeMotion& free_motion = evaluation().free_motion;
  free_motion.drive_impulse(report.solution.velocity, report.drive_impulse);
  const StepEnergies energies = energies_since(before);
  report.energy = account_energy(*system_, report.problem, report.solution, free_motion, energies,
                                 energy_work_);
  certify_motion(*system_, at_last_start_->kinematics, energies, report.problem, report.solution,
                 free_motion, &gain_, report.energy, *at_start_, motion_work_, report.certificate);
  note_free_motion(free_motion, report.solution);
  report.solution_number = solution_number_;
}

void TimeStepper::step_with_coupled_inertia(State& state, StepReport& report) {
  coupling_.clear();
  double solve_time = 0.0;
  // Bound: kMaxCouplings, once more with the best of them, and the effort.
  while (true) {
    step_with_wider_horizon(state, report);
    solve_time += report.solve_time_s;
    report.coupled_velocity = evaluation().free_motion.coupled_velocity;
    report.coupled_damping = coupling_.get() ? coupling_.get()->damping : 0.0;
    gain_ = inertial_gain(*system_, report.problem, report.solution, evaluation().free_motion,
                          at_last_start_->kinematics, at_start_->kinematics);
    if (gain_.gaining.empty() || coupling_.num_passes() > kMaxCouplings || !has_effort()) break;
    if (coupling_.num_passes() < kMaxCouplings) {
      coupling_.couple(*system_, gain_, start_.v, report.solution.velocity,
                       report.problem.mass_matrix);
    } else if (!coupling_.take_best(gain_.largest)) {
      break;
    }
    // Back to the start of the step, with all trees and the contact horizon of the last pass.
    state = start_;
    closing_speed_.least = report.closing_speed;
    prepare_whole(state, coupling_.get());
  }
  report.solve_time_s = solve_time;
  if (coupling_.num_passes() == 0) return;
  // Damping acts on coupled trees, however they move.
  if (report.coupled_damping == 0.0) {
    leave_idle_couplings(*system_, uncoupled_motion(report.step), evaluation().free_motion.velocity,
                         report.coupled_velocity);
  }
  report.solution.attempts.insert(report.solution.attempts.begin(),
                                  {"inertial forces with impulses", SolveStatus::Converged,
                                   coupling_.num_passes(), 0.0, "repetitions of the step"});
}

FreeMotion TimeStepper::uncoupled_motion(double step) {
  const SystemKinematics& at = at_last_start_->kinematics;
  LinkedInertiaStep linkages;
  FreeMotionOptions options = motion_options({}, nullptr);
  // The impulses that the coming step expects are prepared already, and stay.
  LastImpulses last;
  solver_.joint_rows().last_impulses(start_, step, last);
  if (options.expected != nullptr) options.expected = &last;
  options.linked = &linkages.compute(*system_, at, start_.v, step);
  FreeMotion motion;
  compute_free_motion(*system_, at, start_.q, start_.v, start_.time, step, options, motion);
  return motion;
}

void TimeStepper::step_with_wider_horizon(State& state, StepReport& report) {
  rejected_attempts_.clear();
  double solve_time = 0.0;
  // Bound: kMaxHorizonRetries.
  while (true) {
    // An attempt is accepted if all overlaps at its end had contacts.
    attempt_step(state, report);
    solve_time += report.solve_time_s;
    if (report.certificate.missed_contacts == 0 || rejected_attempts_.size() == kMaxHorizonRetries)
      break;
    // The new horizon covers the speeds that the rejected solution had.
    const double closing = kHorizonGrowth * closing_speed_of_missed_contacts(
                                                *system_, at_last_start_->kinematics,
                                                at_last_start_->passing, *at_start_, report);
    if (closing <= report.closing_speed) break;  // within the horizon already
    rejected_attempts_.push_back(
        {"retry with a wider contact horizon", SolveStatus::Infeasible, report.solution.iterations,
         report.solve_time_s, std::to_string(report.certificate.missed_contacts) + " overlaps"});
    // Back to the start of the step, with all trees: the wider horizon is that of all.
    state = start_;
    closing_speed_.least = closing;
    prepare_whole(state, coupling_.get());
  }
  report.solve_time_s = solve_time;
  report.solution.attempts.insert(report.solution.attempts.begin(), rejected_attempts_.begin(),
                                  rejected_attempts_.end());
}

void TimeStepper::attempt_step(State& state, StepReport& report) {
  report.closing_speed = closing_speed_.least;
  if (settings_.evaluates_ahead()) {
    solve_ahead(state, report);
  } else {
    solve(state, report);
  }
  advance(state, report);

  // The start of the next step shows the overlaps that this one leaves.
  std::swap(at_start_, at_last_start_);
  closing_speed_.least = 0.0;
  prepared_ = Prepared::Nothing;
  prepare(state);
  finish_certificate(*system_, solver_.joint_rows(), *at_start_, {}, report);
  certify_passages(*system_, start_, at_last_start_->kinematics, at_last_start_->passing,
                   *at_start_, report);
}

void TimeStepper::solve(const State& state, StepReport& report) {
  report.evaluation_velocity = Eigen::VectorXd::Zero(state.v.size());
  solver_.solve(state, at_start_->kinematics, *at_start_, report, [&] {
    evaluate_at_start(*system_, detector_, {state.q, state.v, state.time, report.step},
                      closing_speed(report.step), motion_options(resting_.trees(), coupling_.get()),
                      *at_start_);
  });
  resting_.keep_at_rest(report.solution.velocity);
}

// Stewart-Trinkle evaluates everything at q + h v. Position iterations evaluate at q + h v+ until
// that displacement converges.
void TimeStepper::solve_ahead(const State& state, StepReport& report) {
  const StepStart start{state.q, state.v, state.time, report.step};
  report.evaluation_velocity = state.v;
  double solve_time = 0.0;
  // Bound: position_iterations of the settings.
  for (int iteration = 0;; ++iteration) {
    const auto evaluate = [&] {
      evaluate_ahead(*system_, detector_, start, report.evaluation_velocity,
                     closing_speed(start.step), motion_options({}, coupling_.get()), ahead_);
    };
    evaluate();
    solver_.solve(state, at_start_->kinematics, ahead_, report, evaluate);
    solve_time += report.solve_time_s;
    // Change of the displacement between two iterations [m or rad].
    const double change =
        report.step *
        (report.solution.velocity - report.evaluation_velocity).lpNorm<Eigen::Infinity>();
    if (iteration >= settings_.position_iterations || change <= kPositionTolerance) break;
    report.evaluation_velocity = report.solution.velocity;
  }
  report.solve_time_s = solve_time;
}

void TimeStepper::advance(State& state, StepReport& report) {
  // Copied, not moved, so that views of q and v stay valid.
  integrate_positions(*system_, state.q, report.solution.velocity, report.step, resting_.trees(),
                      q_next_);
  state.q = q_next_;
  state.v = report.solution.velocity;
  count_step(state);
  keep_impulses(report.problem, report.solution, start_, state);
  if (expects_impulses_) {
    lasting_impulse(report.problem, report.solution, lasting_, state.contact_impulse);
  }
  if (!resting_.empty()) resting_.add_impulses(state.warm_start);
  correct_positions(state);
}

void TimeStepper::correct_positions(State& state) {
  uncorrected_.reset();
  if (!settings_.projection && !post_stabilization_) return;
  SystemKinematics moved;
  compute_kinematics(*system_, state.q, state.v, state.time, moved);
  uncorrected_ = stored_energy(*system_, moved);
  if (settings_.projection) project_on_joints(*system_, state);
  if (post_stabilization_) post_stabilization_->apply(settings_.post_stabilization, state);
}

StepKinematics TimeStepper::last_kinematics() const {
  if (prepared_ == Prepared::Nothing) return {};
  // Before the first step there is no start.
  const SystemKinematics& start = at_last_start_->kinematics;
  return {start.X_WB.empty() ? nullptr : &start, &at_start_->kinematics};
}

void TimeStepper::report_initial(const State& state, StepReport& report) {
  if (prepared_ != Prepared::Everything || !resting_.empty()) prepare_whole(state);
  report_state(*system_, solver_.joint_rows(), *at_start_, state, report);
}

}  // namespace amontons
