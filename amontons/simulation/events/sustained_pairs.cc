#include "amontons/simulation/events/sustained_pairs.h"

#include "amontons/simulation/stepping/normal_velocity.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace amontons {
namespace {

/// Sorts a list of pairs and removes what it has twice.
void sort_pairs(std::vector<PairOfShapes>& pairs) {
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

/// Returns the speed [m/s] at which the gap of a contact closes without contact impulses.
double closing_speed(const ContactProblem& problem, std::size_t contact) {
  return -normal_velocity(problem, contact, problem.free_velocity).value;
}

}  // namespace

void SustainedPairs::select(const State& start, const ContactProblem& touching,
                            const ContactProblem& near, SustainedPairRules rules) {
  rules_ = std::move(rules);
  near_ = &near;
  pairs_.clear();
  unsearchable_.clear();
  // Touching pairs that do not leave.
  for (std::size_t i = 0; i < touching.num_contacts(); ++i) {
    if (normal_velocity(touching, i, start.v).parts(rules_.rest_speed)) continue;
    pairs_.push_back(pair_of(touching.contacts[i].key));
  }
  // Pairs that carried an impulse and close their gap again within the step: a resting contact may
  // open by rounding.
  for (std::size_t i = 0; i < near.num_contacts(); ++i) {
    const Contact& contact = near.contacts[i];
    const double closing = closing_speed(near, i);
    if (contact.gap > rules_.length * closing) continue;
    if (rules_.all_that_close || has_pair(start.warm_start, contact.key) ||
        rules_.lands_in_step(pair_of(contact.key), closing)) {
      pairs_.push_back(pair_of(contact.key));
    }
  }
  add_neighbors();
}

/// Adds the pairs in reach of trees that are in sustained contact, where they may land in the step.
void SustainedPairs::add_neighbors() {
  std::vector<char> is_held(system_->articulations().size(), 0);
  const auto hold = [&is_held](int tree) {
    if (tree >= 0) is_held[static_cast<std::size_t>(tree)] = 1;
  };
  const auto holds = [&is_held](int tree) {
    return tree >= 0 && is_held[static_cast<std::size_t>(tree)];
  };
  for (const PairOfShapes& pair : pairs_) {
    hold(system_->articulation_of_shape(pair.first));
    hold(system_->articulation_of_shape(pair.second));
  }
  // A tree that comes to be held may hold its own neighbors: each pass but the last holds one more.
  std::vector<char> is_added(near_->num_contacts(), 0);
  for (bool grows = true; grows;) {
    grows = false;
    for (std::size_t i = 0; i < near_->num_contacts(); ++i) {
      const Contact& contact = near_->contacts[i];
      const int a = system_->articulation_of_shape(contact.key.shape_a),
                b = system_->articulation_of_shape(contact.key.shape_b);
      if (is_added[i] || !(holds(a) || holds(b))) continue;
      // Where only one of two trees is held, the pair must be near enough to close its gap at the
      // speed that counts as rest.
      const double closing = closing_speed(*near_, i);
      const bool meets = ((a < 0 || holds(a)) && (b < 0 || holds(b))) ||
                         contact.gap <= rules_.length * (closing + rules_.rest_speed);
      if (!meets || !rules_.lands_in_step(pair_of(contact.key), closing)) continue;
      is_added[i] = 1;
      pairs_.push_back(pair_of(contact.key));
      grows = grows || (a >= 0 && !holds(a)) || (b >= 0 && !holds(b));
      hold(a);
      hold(b);
    }
  }
  sort_pairs(pairs_);
}

bool SustainedPairs::add(const FirstImpact& found) {
  if (found.touching_at_start.empty() && found.landing.empty() && found.unfinished.empty())
    return false;
  for (const auto* listed : {&found.touching_at_start, &found.landing, &found.unfinished}) {
    pairs_.insert(pairs_.end(), listed->begin(), listed->end());
  }
  // Another search would list these again.
  for (const auto* listed : {&found.touching_at_start, &found.unfinished}) {
    unsearchable_.insert(unsearchable_.end(), listed->begin(), listed->end());
  }
  sort_pairs(unsearchable_);
  add_neighbors();
  return true;
}

bool SustainedPairs::add_closing(const Eigen::Ref<const Eigen::VectorXd>& v) {
  std::vector<PairOfShapes> closing;
  for (std::size_t i = 0; i < near_->num_contacts(); ++i) {
    const Contact& contact = near_->contacts[i];
    if (contains(contact.key)) continue;
    if (contact.gap + rules_.length * normal_velocity(*near_, i, v).value < 0.0) {
      closing.push_back(pair_of(contact.key));
    }
  }
  pairs_.insert(pairs_.end(), closing.begin(), closing.end());
  sort_pairs(pairs_);
  return !closing.empty();
}

void SustainedPairs::remove(const std::vector<PairOfShapes>& pairs) {
  const auto is_removed = [&pairs](const PairOfShapes& pair) {
    return std::binary_search(pairs.begin(), pairs.end(), pair);
  };
  std::erase_if(pairs_, is_removed);
  std::erase_if(unsearchable_, is_removed);
}

bool SustainedPairs::contains(const ContactKey& key) const {
  return std::binary_search(pairs_.begin(), pairs_.end(), pair_of(key));
}

std::vector<PairOfShapes> SustainedPairs::unsearched(const std::vector<PairOfShapes>& near) const {
  std::vector<PairOfShapes> result = unsearchable_;
  std::set_intersection(pairs_.begin(), pairs_.end(), near.begin(), near.end(),
                        std::back_inserter(result));
  sort_pairs(result);
  return result;
}

}  // namespace amontons
