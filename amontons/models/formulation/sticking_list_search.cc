#include "amontons/models/formulation/sticking_list_search.h"

#include "amontons/contact/activation.h"
#include "amontons/contact/marks.h"
#include "amontons/math/effort.h"

#include <algorithm>

namespace amontons {

using Eigen::Index;

namespace {

// Times that a patient search drops a contact before it joins for good.
constexpr char kPatientDrops = 2;

// Times that a contact is dropped because it hangs.
constexpr int kMostLettingGo = 3;

}  // namespace

bool can_hold(const ContactProblem& problem, const ProblemScaling& scaling, std::size_t contact) {
  return may_stick(problem.contacts[contact]) &&
         scaling.scales.inverse_mass(static_cast<Index>(contact)) > 0.0;
}

std::vector<char> touching_contacts(const ContactProblem& problem, const ProblemScaling& scaling) {
  const double touching = touching_gap(problem);
  std::vector<char> list(problem.num_contacts(), 0);
  for (std::size_t c = 0; c < list.size(); ++c) {
    list[c] = can_hold(problem, scaling, c) && problem.contacts[c].gap <= touching;
  }
  return list;
}

void StickingListSearch::begin(const ContactProblem& problem, const ProblemScaling& scaling,
                               double tolerance) {
  problem_ = &problem;
  scaling_ = &scaling;
  tolerance_ = tolerance;
  list_.assign(problem.num_contacts(), 0);
  dropped_ = locked_ = loaded_if_free_ = list_;
  is_patient_ = false;
}

SolveStatus StickingListSearch::search(std::vector<char> list, const Solver& solve) {
  list_ = std::move(list);
  dropped_.assign(list_.size(), 0);
  locked_.assign(list_.size(), 0);
  // Bound: 3 nc + 1 solves, or 5 nc + 1 patient ones, and the effort.
  while (true) {
    solve(list_, solution_);
    if (!is_solved() || (!add_loaded() && !drop_unloaded())) return solution_.status;
    if (!has_effort()) return SolveStatus::IterationLimit;
  }
}

SolveStatus StickingListSearch::solve(std::vector<char> list, const Solver& solve_listed) {
  list_ = std::move(list);
  solve_listed(list_, solution_);
  return solution_.status;
}

bool StickingListSearch::has_locked() const { return any_marked(locked_); }

bool StickingListSearch::holds_open_gap() const {
  for (std::size_t c = 0; c < locked_.size(); ++c) {
    const Index i = static_cast<Index>(c);
    if (locked_[c] && scaling_->gap_speeds(i) > tolerance_ * scaling_->scales.speed(i)) return true;
  }
  return false;
}

/// Returns the contacts of `candidates` that some solution with the present velocity loads.
std::vector<char> StickingListSearch::loaded_of(const std::vector<char>& candidates,
                                                SelfStress self_stress) const {
  return loaded_contacts(*problem_, *scaling_, {solution_.impulses, solution_.slack, list_},
                         candidates, self_stress, tolerance_);
}

/// Returns the contacts outside of the list that bear a load, or do so in another solution [nc].
std::vector<char> StickingListSearch::loaded_contacts_outside() const {
  std::vector<char> result(list_.size(), 0), candidates(list_.size(), 0);
  for (std::size_t c = 0; c < list_.size(); ++c) {
    if (list_[c] || !can_hold(*problem_, *scaling_, c)) continue;
    result[c] = bears_load(*scaling_, static_cast<Index>(c), solution_.impulses, tolerance_);
    candidates[c] = !result[c];
  }
  // Other solutions belong to the step without restitution.
  if (solution_.bounces) return result;
  const std::vector<char> loaded = loaded_of(candidates, SelfStress::IsNoLoad);
  for (std::size_t c = 0; c < list_.size(); ++c) result[c] = result[c] || loaded[c];
  return result;
}

/// Returns the contacts of the list that no solution loads [nc].
/// @param with_locked  counts those that joined for good.
std::vector<char> StickingListSearch::unloaded_contacts(bool with_locked) const {
  std::vector<char> result(list_.size(), 0);
  if (solution_.bounces) return result;
  for (std::size_t c = 0; c < list_.size(); ++c) {
    result[c] = list_[c] && (with_locked || !locked_[c]) &&
                !bears_load(*scaling_, static_cast<Index>(c), solution_.impulses, tolerance_);
  }
  if (!any_marked(result)) return result;
  const std::vector<char> loaded = loaded_of(result, SelfStress::IsLoad);
  for (std::size_t c = 0; c < list_.size(); ++c) result[c] = result[c] && !loaded[c];
  return result;
}

/// Returns the speed that closes the gap of a contact in the step, in units of V [-]; 0 where it
/// touches.
double StickingListSearch::gap_speed(std::size_t contact) const {
  const Index i = static_cast<Index>(contact);
  const double share = scaling_->gap_speeds(i) / scaling_->scales.speed(i);
  return share > tolerance_ ? share : 0.0;
}

/// Returns what orders contacts, the least likely to bear a load last: the gap, and of those that
/// touch the speed at which they open in the free motion, in units of V [-]. Their numbers do not
/// matter.
std::pair<double, double> StickingListSearch::openness(std::size_t contact) const {
  const Index i = static_cast<Index>(contact);
  return {gap_speed(contact),
          scaling_->free_contact_velocity(3 * i + 2) / scaling_->scales.speed(i)};
}

void StickingListSearch::add(std::size_t contact) {
  list_[contact] = 1;
  locked_[contact] = dropped_[contact] >= (is_patient_ ? kPatientDrops : 1);
}

void StickingListSearch::drop(std::size_t contact) {
  list_[contact] = 0;
  ++dropped_[contact];
}

/// Adds the contacts that bear a load, or do so in another solution, to the list. A patient search
/// adds those that touch; where there are none, the one whose gap closes first.
/// @returns true if any was added.
bool StickingListSearch::add_loaded() {
  const std::vector<char> loaded = loaded_contacts_outside();
  const bool all_may_slip = !any_marked(list_);
  if (all_may_slip) loaded_if_free_ = loaded;
  bool added = false;
  std::size_t nearest = list_.size();
  for (std::size_t c = 0; c < list_.size(); ++c) {
    if (!loaded[c]) continue;
    if (!is_patient_ || gap_speed(c) == 0.0) {
      add(c);
      added = true;
    } else if (nearest == list_.size() || openness(c) < openness(nearest)) {
      nearest = c;
    }
  }
  if (added || nearest == list_.size()) return added;
  add(nearest);
  return true;
}

/// Drops the contacts that no solution loads from the list; a patient search drops the one with
/// the widest gap.
/// @returns true if any was dropped.
bool StickingListSearch::drop_unloaded() {
  const std::vector<char> unloaded = unloaded_contacts(false);
  bool dropped = false;
  std::size_t widest = list_.size();
  for (std::size_t c = 0; c < list_.size(); ++c) {
    if (!unloaded[c]) continue;
    if (!is_patient_) {
      drop(c);
      dropped = true;
    } else if (widest == list_.size() || gap_speed(c) > gap_speed(widest)) {
      widest = c;
    }
  }
  if (widest == list_.size()) return dropped;
  drop(widest);
  return true;
}

SolveStatus StickingListSearch::drop_hanging(const Solver& solve) {
  std::vector<int> times(list_.size(), 0);
  // Bound: each pass but the last drops a contact, none more than three times; and the effort.
  while (is_solved() && has_effort()) {
    // Contacts that no solution loads, the most open one first.
    const std::vector<char> unloaded = unloaded_contacts(true);
    std::vector<std::size_t> order;
    for (std::size_t c = 0; c < list_.size(); ++c) {
      const bool is_kept_open = loaded_if_free_[c] && gap_speed(c) > 0.0;
      if (unloaded[c] && !is_kept_open && times[c] < kMostLettingGo) order.push_back(c);
    }
    if (order.empty()) break;
    std::stable_sort(order.begin(), order.end(),
                     [this](std::size_t a, std::size_t b) { return openness(a) > openness(b); });
    bool dropped = false;
    for (const std::size_t c : order) {
      if (!has_effort()) break;
      if (!list_[c] || !lets_go(c, solve)) continue;
      ++times[c];
      dropped = true;
    }
    // The last solve may have let go a contact that stays.
    solve(list_, solution_);
    if (!dropped) break;
  }
  return solution_.status;
}

/// Drops a contact if it bears no load without the list; what bears one then joins for good.
/// @returns true if the list has changed.
bool StickingListSearch::lets_go(std::size_t contact, const Solver& solve) {
  const std::vector<char> before = list_, locked_before = locked_;
  list_[contact] = 0;
  // Bound: each round adds a contact.
  for (std::size_t round = 0; round <= list_.size(); ++round) {
    solve(list_, solution_);
    const std::vector<char> loaded =
        is_solved() ? loaded_contacts_outside() : std::vector<char>(list_.size(), 1);
    if (loaded[contact]) {
      list_ = before;
      locked_ = locked_before;
      return false;
    }
    if (!any_marked(loaded)) break;
    for (std::size_t c = 0; c < list_.size(); ++c) {
      if (loaded[c]) list_[c] = locked_[c] = 1;
    }
  }
  return true;
}

}  // namespace amontons
