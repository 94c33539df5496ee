#include "amontons/simulation/events/expected_event.h"

#include "amontons/math/same_bits.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

// Bound of the searches: each but the last adds a pair that lands.
constexpr int kMaxSearches = 30;

// Length of the first attempt, in times to the event that is guessed. A solution changes the
// velocities a little: an attempt that ends just before its event would find none.
constexpr double kBeyondGuess = 1.25;

}  // namespace

void EventExpectation::note_end(const State& end) {
  for (std::size_t a = 0; a < fell_.size(); ++a) {
    fell_[a] = fell_[a] && motion_->falls_freely(static_cast<int>(a));
  }
  q_ = end.q;
  v_ = end.v;
}

void EventExpectation::keep_fallen(const StepStart& start) {
  constexpr double kSameInstant = 1e-9;  // share of a step
  if (std::abs(start.time + start.step - instant_) > kSameInstant * step_) forget();
  for (std::size_t a = 0; a < fell_.size(); ++a) {
    if (!fell_[a]) continue;
    const Articulation& tree = system_->articulations()[a];
    const Eigen::Index q0 = system_->q_offset(static_cast<int>(a)),
                       v0 = system_->v_offset(static_cast<int>(a));
    fell_[a] = same_bits(start.q.data() + q0, q_.data() + q0, tree.num_positions()) &&
               same_bits(start.v.data() + v0, v_.data() + v0, tree.num_velocities());
  }
}

ExpectedEvent EventExpectation::find(const StepStart& start, const std::vector<PairOfShapes>& near,
                                     double tolerance, ImpactSearchRules rules,
                                     std::int64_t max_effort) {
  ExpectedEvent expected;
  expected.length = expected.first_of_flights = start.step;
  keep_fallen(start);
  // What lands in the step flies no longer, and the rest is searched again.
  for (int i = 0; i < kMaxSearches && expected.effort < max_effort; ++i) {
    evaluator_->begin_flights(start, sustained_->pairs(), *motion_, rules.certain_trees);
    expected.effort += evaluator_->effort();
    rules.searched_trees = fell_;
    rules.left_out = sustained_->unsearched(near);
    const FirstImpact first = search_->find_first(*motion_, start.step, tolerance, rules,
                                                  max_effort - expected.effort, &near_);
    expected.effort += first.effort;
    if (first.status == ImpactStatus::Unfinished) break;
    expected.num_unfinished += first.unfinished.size();
    motion_->mark_falling_trees(fell_);
    if (sustained_->add(first)) continue;
    expected.length = std::min(first.elapsed, kBeyondGuess * first.guessed);
    expected.first_of_flights = first.elapsed;
    instant_ = start.time + start.step;
    step_ = start.step;
    return expected;
  }
  // Nothing is known of what falls.
  forget();
  return expected;
}

}  // namespace amontons
