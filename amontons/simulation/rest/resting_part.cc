#include "amontons/simulation/rest/resting_part.h"

#include "amontons/contact/islands/island_problem.h"
#include "amontons/math/same_bits.h"
#include "amontons/math/step_times.h"
#include "amontons/models/islands/islandwise_solver.h"
#include "amontons/simulation/rest/resting_trees.h"
#include "amontons/simulation/system/warm_start.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

namespace amontons {
namespace {

// Trees at rest are left out of a step where they are at least one in this many of those in it.
constexpr std::ptrdiff_t kWorthSharing = 4;

// Steps for which trees must be left out to be worth what it costs, and steps that are whole where
// they were not.
constexpr int kWorthHolding = 16, kStepsToWait = 16;

bool is_set(char mark) { return mark != 0; }

/// Lists the numbers from 0 on.
void count_up_to(std::size_t count, std::vector<int>& numbers) {
  if (numbers.size() == count) return;
  numbers.resize(count);
  std::iota(numbers.begin(), numbers.end(), 0);
}

/// Returns true if a problem has islands: rows, or contacts with a moving body.
bool has_islands_of(const ContactProblem& problem) {
  if (problem.joint_jacobian.num_block_rows() > 0 || !problem.bounded_rows.empty()) return true;
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    if (!problem.contact_jacobian.block_row(i).empty()) return true;
  }
  return false;
}

/// Returns true if a solution has impulses of one phase and one law alone.
bool is_plain(const ContactSolution& solution) {
  return !solution.has_two_phases() && solution.witnesses.empty() &&
         solution.restitution_shares.size() == 0;
}

}  // namespace

RestingPart::RestingPart(const System& system)
    : system_(&system), may_rest_(trees_without_drives(system)) {
  count_up_to(system.articulations().size(), resting_island_.blocks);
  moving_island_.blocks = resting_island_.blocks;
}

bool RestingPart::has_marked_tree(const Contact& contact, std::span<const char> marks) const {
  const std::array<int, 2> trees = trees_of(*system_, contact);
  return std::any_of(trees.begin(), trees.end(), [marks](int tree) {
    return tree >= 0 && is_set(marks[static_cast<std::size_t>(tree)]);
  });
}

bool RestingPart::are_worth(std::span<const char> marks) const {
  const auto count = std::count_if(marks.begin(), marks.end(), is_set);
  const auto at_rest = std::count_if(marks_.begin(), marks_.end(), is_set);
  const auto in_step = static_cast<std::ptrdiff_t>(may_rest_.size()) - at_rest;
  // A step in which all rest repeats by itself.
  return count > 0 && count < in_step && kWorthSharing * count >= in_step;
}

void RestingPart::clear() {
  if (!marks_.empty() && steps_held_ < kWorthHolding) steps_to_wait_ = kStepsToWait;
  marks_.clear();
  noted_.clear();
  should_grow_ = false;
}

void RestingPart::note(const State& start, const State& end, const StepReport& report,
                       const std::vector<Contact>& contacts) {
  noted_.clear();
  // A tree alone has none beside it.
  if (may_rest_.size() < 2) return;
  if (steps_to_wait_ > 0) {
    --steps_to_wait_;
    return;
  }
  // Most steps of a moving system end here.
  candidates_ = may_rest_;
  keep_still_trees(*system_, start, end, candidates_);
  if (!are_worth(candidates_)) return;
  keep_repeating_trees(*system_, start, end, report.problem, contacts, candidates_);
  if (!are_worth(candidates_)) return;
  // Their own problem has the velocities of all trees, so that no column changes its number.
  Island own;
  own.blocks = resting_island_.blocks;
  for (std::size_t i = 0; i < report.problem.num_contacts(); ++i) {
    if (has_marked_tree(report.problem.contacts[i], candidates_)) {
      own.contacts.push_back(static_cast<int>(i));
    }
  }
  extract(report.problem, own, problem_);
  noted_impulses_.resize(problem_.contact_jacobian.rows());
  for (std::size_t k = 0; k < own.contacts.size(); ++k) {
    const auto i = static_cast<std::size_t>(own.contacts[k]);
    noted_impulses_.segment<3>(ContactProblem::row(k)) =
        report.solution.impulses.segment<3>(ContactProblem::row(i));
  }
  noted_ = candidates_;
}

void RestingPart::note_others(const State& start, const State& end, const ContactProblem& moving,
                              const std::vector<Contact>& contacts) {
  ++steps_held_;
  candidates_ = may_rest_;
  for (std::size_t a = 0; a < candidates_.size(); ++a) {
    if (marks_[a]) candidates_[a] = 0;
  }
  keep_still_trees(*system_, start, end, candidates_);
  should_grow_ = are_worth(candidates_);
  if (!should_grow_) return;
  keep_repeating_trees(*system_, start, end, moving, contacts, candidates_);
  should_grow_ = are_worth(candidates_);
}

bool RestingPart::differs(const ContactSolution& solution) const {
  if (!same_bits(solution.impulses, noted_impulses_)) return true;
  for (std::size_t a = 0; a < noted_.size(); ++a) {
    const int v0 = system_->v_offset(static_cast<int>(a));
    const int nv = system_->articulations()[a].num_velocities();
    if (noted_[a] && !solution.velocity.segment(v0, nv).isZero(0.0)) return true;
  }
  return false;
}

void RestingPart::hold(const State& state, const Solve& solve, std::vector<Contact>& contacts) {
  if (noted_.empty()) return;
  // If the trees cannot be held, the next steps are whole.
  steps_to_wait_ = kStepsToWait;
  steps_held_ = 0;
  // Overlaps that open concern the speeds of all bodies (IslandwiseSolver::solve()).
  if (problem_.opens_overlaps()) return;
  certified_ = solve(problem_, transported_warm_start(state, problem_));
  has_contacts_ = problem_.num_contacts() > 0;
  if (differs(certified_.solution)) return;
  stabilizes_ = false;
  for (std::size_t i = 0; i < problem_.num_contacts(); ++i) {
    const double load = certified_.solution.impulses(ContactProblem::row(i) + 2);
    stabilizes_ = stabilizes_ || (load > 0.0 && problem_.stabilized_gap(i) < 0.0);
  }
  for (const Contact& contact : problem_.contacts) {
    certified_.certificate.infeasibility =
        std::max(certified_.certificate.infeasibility, -contact.gap);
  }

  steps_to_wait_ = 0;
  places_since_ = 0;
  marks_ = std::move(noted_);
  noted_.clear();
  keep_impulses_of_contacts(state);
  std::erase_if(contacts, [&](const Contact& contact) { return has_marked_tree(contact, marks_); });
}

void RestingPart::keep_impulses_of_contacts(const State& state) {
  impulses_.clear();
  auto contact = problem_.contacts.begin();
  for (const WarmStartEntry& entry : state.warm_start) {
    while (contact != problem_.contacts.end() && contact->key < entry.key) ++contact;
    if (contact == problem_.contacts.end()) break;
    if (contact->key == entry.key) impulses_.push_back(entry);
  }
}

bool RestingPart::has_commands() const {
  const Commands& commands = system_->commands();
  if (commands.wrenches.empty() && commands.effort.isZero(0.0)) return false;
  const std::vector<char>& marks = marks_.empty() ? noted_ : marks_;
  for (std::size_t a = 0; a < marks.size(); ++a) {
    if (marks[a] && is_commanded(*system_, a)) return true;
  }
  return false;
}

bool RestingPart::is_touched(const std::vector<Contact>& contacts) const {
  return std::any_of(contacts.begin(), contacts.end(),
                     [&](const Contact& contact) { return has_marked_tree(contact, marks_); });
}

void RestingPart::keep_at_rest(Eigen::VectorXd& velocity) const {
  for (std::size_t a = 0; a < marks_.size(); ++a) {
    if (!marks_[a]) continue;
    velocity
        .segment(system_->v_offset(static_cast<int>(a)),
                 system_->articulations()[a].num_velocities())
        .setZero();
  }
}

void RestingPart::add_impulses(std::vector<WarmStartEntry>& impulses) {
  merged_.clear();
  // Those at rest are many, so that they are copied in runs.
  auto run = impulses_.begin();
  for (const WarmStartEntry& entry : impulses) {
    const auto end = std::lower_bound(
        run, impulses_.end(), entry.key,
        [](const WarmStartEntry& other, const ContactKey& key) { return other.key < key; });
    merged_.insert(merged_.end(), run, end);
    merged_.push_back(entry);
    run = end;
  }
  merged_.insert(merged_.end(), run, impulses_.end());
  std::swap(merged_, impulses);
}

bool RestingPart::keeps_places(const ContactProblem& moving) const {
  return places_since_ > 0 &&
         std::equal(moving.contacts.begin(), moving.contacts.end(), moving_keys_.begin(),
                    moving_keys_.end(), [](const Contact& contact, const ContactKey& key) {
                      return contact.key == key;
                    });
}

void RestingPart::merge_contacts(const ContactProblem& moving, ContactProblem& whole) {
  const std::size_t num_resting = problem_.num_contacts();
  const std::size_t total = num_resting + moving.num_contacts();
  whole.contacts.clear();
  whole.contact_jacobian.reset(system_->num_velocities());
  whole.contact_bias.resize(static_cast<Eigen::Index>(3 * total));
  resting_island_.contacts.clear();
  moving_island_.contacts.clear();
  moving_keys_.clear();
  std::size_t i = 0, k = 0;
  for (std::size_t place = 0; place < total; ++place) {
    // Both lists are sorted by key, and so is the result.
    const bool rests = k == moving.num_contacts() ||
                       (i < num_resting && problem_.contacts[i].key < moving.contacts[k].key);
    const ContactProblem& from = rests ? problem_ : moving;
    const std::size_t own = rests ? i++ : k++;
    whole.contacts.push_back(from.contacts[own]);
    whole.contact_jacobian.append_block_row(from.contact_jacobian, own);
    whole.contact_bias.segment<3>(ContactProblem::row(place)) =
        from.contact_bias.segment<3>(ContactProblem::row(own));
    Island& part = rests ? resting_island_ : moving_island_;
    part.contacts.push_back(static_cast<int>(place));
    if (!rests) moving_keys_.push_back(from.contacts[own].key);
  }
}

void RestingPart::replace_contacts(const ContactProblem& moving, ContactProblem& whole) const {
  for (std::size_t k = 0; k < moving.num_contacts(); ++k) {
    const auto place = static_cast<std::size_t>(moving_island_.contacts[k]);
    whole.contacts[place] = moving.contacts[k];
    whole.contact_jacobian.replace_block_row(place, moving.contact_jacobian, k);
    whole.contact_bias.segment<3>(ContactProblem::row(place)) =
        moving.contact_bias.segment<3>(ContactProblem::row(k));
  }
}

void RestingPart::complete_problem(ContactProblem& moving, bool in_place, ContactProblem& whole) {
  if (in_place) {
    replace_contacts(moving, whole);
  } else {
    merge_contacts(moving, whole);
  }
  whole.step = moving.step;
  whole.gamma = moving.gamma;
  whole.literal_gamma = moving.literal_gamma;
  whole.rest_speed = moving.rest_speed;
  whole.overlap_speed = moving.overlap_speed;
  // All trees and rows are those of the moving part.
  std::swap(whole.mass_matrix, moving.mass_matrix);
  std::swap(whole.velocity, moving.velocity);
  std::swap(whole.free_velocity, moving.free_velocity);
  std::swap(whole.joint_jacobian, moving.joint_jacobian);
  std::swap(whole.joint_error, moving.joint_error);
  std::swap(whole.joint_bias, moving.joint_bias);
  std::swap(whole.joint_correction, moving.joint_correction);
  std::swap(whole.bounded_rows, moving.bounded_rows);
  std::swap(whole.bounded_jacobian, moving.bounded_jacobian);
  count_up_to(whole.joint_jacobian.num_block_rows(), moving_island_.joint_rows);
  count_up_to(whole.bounded_rows.size(), moving_island_.bounded_rows);
}

void RestingPart::complete_solution(bool has_islands, bool in_place, const StepReport& moving,
                                    StepReport& report) const {
  ContactSolution& whole = report.solution;
  const ContactSolution& at_rest = certified_.solution;
  if (in_place && is_plain(whole) && is_plain(at_rest) && at_rest.contact_laws.empty()) {
    claim_at_rest(whole);
    whole.joint_impulses.resize(moving.solution.joint_impulses.size());
    whole.bounded_impulses.resize(moving.solution.bounded_impulses.size());
    whole.bounded_modes.resize(moving.solution.bounded_modes.size());
  } else {
    whole = free_motion_solution(report.problem);
    if (has_contacts_) scatter(report.problem, resting_island_, at_rest, whole);
  }
  if (has_islands) {
    scatter(report.problem, moving_island_, moving.solution, whole);
  } else {
    // Without islands it claims no law; its attempts tell of free motion.
    const std::vector<SolveAttempt>& attempts = moving.solution.attempts;
    whole.attempts.insert(whole.attempts.end(), attempts.begin(), attempts.end());
  }
  whole.velocity = moving.solution.velocity;
}

void RestingPart::claim_at_rest(ContactSolution& whole) const {
  const ContactSolution& claim = certified_.solution;
  whole.status = claim.status;
  whole.law = claim.law;
  whole.contact_laws.clear();
  whole.iterations = claim.iterations;
  whole.attempts.resize(claim.attempts.size());
}

void RestingPart::complete_certificate(bool has_islands, StepReport& moving,
                                       StepReport& report) const {
  Certificate& certificate = moving.certificate;
  restore_indices(report.problem, moving_island_, certificate);
  if (certificate.overlap.where >= 0) {
    certificate.overlap.where =
        moving_island_.contacts[static_cast<std::size_t>(certificate.overlap.where)];
  }
  if (has_contacts_) {
    // A part without islands has no energy that contact could have gained.
    if (!has_islands) certificate.energy_gained = std::numeric_limits<double>::quiet_NaN();
    Certificate at_rest = certified_.certificate;
    restore_indices(report.problem, resting_island_, at_rest);
    certificate.merge(at_rest);
  }
  report.certificate = certificate;
}

void RestingPart::complete(StepReport& moving, StepReport& report) {
  const TimedPart part(StepPart::Assembly);
  const bool has_islands = has_islands_of(moving.problem);
  if (!keeps_places(moving.problem)) places_since_ = moving.solution_number;
  const bool in_place = report.solution_number >= places_since_;
  complete_problem(moving.problem, in_place, report.problem);
  complete_solution(has_islands, in_place, moving, report);
  complete_certificate(has_islands, moving, report);
  report.step = moving.step;
  report.closing_speed = moving.closing_speed;
  report.law_asked = moving.law_asked;
  report.coupled_velocity = moving.coupled_velocity;
  report.coupled_damping = moving.coupled_damping;
  report.energy = moving.energy;
  report.events = moving.events;
  std::swap(report.evaluation_velocity, moving.evaluation_velocity);
  std::swap(report.drive_impulse, moving.drive_impulse);
  report.solve_time_s = moving.solve_time_s;
  report.solution_number = moving.solution_number;
}

}  // namespace amontons
