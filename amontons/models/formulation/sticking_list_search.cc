#include "amontons/models/formulation/sticking_list_search.h"

#include "amontons/contact/activation.h"
#include "amontons/math/effort.h"

#include <algorithm>

namespace amontons {

using Eigen::Index;

void StickingListSearch::begin(const ContactProblem& problem, const ProblemScaling& scaling,
                               double tolerance) {
  problem_ = &problem;
  scaling_ = &scaling;
  tolerance_ = tolerance;
  list_.assign(problem.num_contacts(), 0);
  dropped_ = locked_ = list_;
  most_drops_ = 1;
}

SolveStatus StickingListSearch::search(std::vector<char> list, const Solver& solve) {
  list_ = std::move(list);
  dropped_.assign(list_.size(), 0);
  locked_.assign(list_.size(), 0);
  // Bound: 3 nc + 1 solves, or 7 nc + 1 patient ones, and the effort.
  while (true) {
    solve(list_, solution_);
    const bool is_solved =
        solution_.status == SolveStatus::Converged || solution_.status == SolveStatus::Stalled;
    if (!is_solved || (!add_loaded() && !drop_unloaded())) return solution_.status;
    if (!has_effort()) return SolveStatus::IterationLimit;
  }
}

SolveStatus StickingListSearch::solve(std::vector<char> list, const Solver& solve_listed) {
  list_ = std::move(list);
  solve_listed(list_, solution_);
  return solution_.status;
}

bool StickingListSearch::can_hold(std::size_t contact) const {
  return may_stick(problem_->contacts[contact]) &&
         scaling_->scales.inverse_mass(static_cast<Index>(contact)) > 0.0;
}

bool StickingListSearch::has_locked() const {
  return std::find(locked_.begin(), locked_.end(), 1) != locked_.end();
}

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

/// Adds the contacts that bear a load, or do so in another solution, to the list.
/// @returns true if any was added.
bool StickingListSearch::add_loaded() {
  bool added = false;
  std::vector<char> candidates(list_.size(), 0);
  const auto add = [&](std::size_t c) {
    list_[c] = 1;
    locked_[c] = dropped_[c] >= most_drops_;
    added = true;
  };
  for (std::size_t c = 0; c < list_.size(); ++c) {
    if (list_[c] || !can_hold(c)) continue;
    if (bears_load(*scaling_, static_cast<Index>(c), solution_.impulses, tolerance_)) {
      add(c);
    } else {
      candidates[c] = 1;
    }
  }
  // Other solutions belong to the step without restitution.
  if (solution_.bounces) return added;
  const std::vector<char> loaded = loaded_of(candidates, SelfStress::IsNoLoad);
  for (std::size_t c = 0; c < list_.size(); ++c) {
    if (loaded[c]) add(c);
  }
  return added;
}

/// Drops the contacts that no solution loads from the list.
/// @returns true if any was dropped.
bool StickingListSearch::drop_unloaded() {
  if (solution_.bounces) return false;
  std::vector<char> candidates(list_.size(), 0);
  for (std::size_t c = 0; c < list_.size(); ++c) {
    candidates[c] = list_[c] && !locked_[c] &&
                    !bears_load(*scaling_, static_cast<Index>(c), solution_.impulses, tolerance_);
  }
  if (std::find(candidates.begin(), candidates.end(), 1) == candidates.end()) return false;
  const std::vector<char> loaded = loaded_of(candidates, SelfStress::IsLoad);
  bool dropped = false;
  std::size_t again = list_.size();  // the first that was dropped before
  for (std::size_t c = 0; c < list_.size(); ++c) {
    if (!candidates[c] || loaded[c]) continue;
    if (dropped_[c]) {
      again = std::min(again, c);
      continue;
    }
    list_[c] = 0;
    dropped_[c] = 1;
    dropped = true;
  }
  // What joined again after many were dropped at once may do so for the others: one at a time.
  if (dropped || again == list_.size()) return dropped;
  list_[again] = 0;
  ++dropped_[again];
  return true;
}

}  // namespace amontons
