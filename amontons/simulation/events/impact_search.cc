#include "amontons/simulation/events/impact_search.h"

#include "amontons/geometry/distance_effort.h"
#include "amontons/math/step_times.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace amontons {
namespace {

// Evaluations that are free for each pair: most pairs need fewer, however many there are.
constexpr int kEvaluationsOfPair = 20;
// Evaluations that a pair may have, however much effort they take.
constexpr int kLeastEvaluations = 200;

// Tolerances within which shapes are near: far beyond the rounding of a later start of their fall.
constexpr double kNear = 3.0;

// Share of an interval that covers the rounding of times in it.
constexpr double kTimeRounding = 1e-9;

}  // namespace

bool ImpactSearch::is_certain(int shape, const ImpactSearchRules& rules) const {
  const int tree = system_->articulation_of_shape(shape);
  return tree < 0 || rules.certain_trees.empty() ||
         rules.certain_trees[static_cast<std::size_t>(tree)];
}

bool ImpactSearch::is_searched(int shape, const SystemMotion& motion,
                               const ImpactSearchRules& rules) const {
  const int tree = system_->articulation_of_shape(shape);
  if (tree < 0) return true;
  return rules.searched_trees[static_cast<std::size_t>(tree)] && motion.falls_freely(tree);
}

bool ImpactSearch::both_fall(const PairOfShapes& pair, const SystemMotion& motion) const {
  const auto falls = [&](int shape) {
    const int tree = system_->articulation_of_shape(shape);
    return tree < 0 || motion.falls_freely(tree);
  };
  return falls(pair.first) && falls(pair.second);
}

/// Searches one pair up to `end` [s], and adds the effort beyond what is free for it.
TimeOfImpact ImpactSearch::search_pair(const SystemMotion& motion, const PairOfShapes& pair,
                                       bool is_certain, double end, double tolerance,
                                       std::int64_t& effort) const {
  const CollisionShape &A = system_->shapes()[static_cast<std::size_t>(pair.first)],
                       &B = system_->shapes()[static_cast<std::size_t>(pair.second)];
  const BodyOfSystem body_A(motion, A.body), body_B(motion, B.body);
  const int own = distance_effort(A.shape, B.shape) + motion.effort(A.body) + motion.effort(B.body);
  const TimeOfImpact found = find_time_of_impact(
      {A.shape, A.X_BG, body_A}, {B.shape, B.X_BG, body_B}, 0.0, end, tolerance,
      system_->protective_layer(),
      std::max(kLeastEvaluations, is_certain ? kMaxDistanceEvaluations / own : 0));
  effort += static_cast<std::int64_t>(own) * std::max(0, found.evaluations - kEvaluationsOfPair);
  return found;
}

void ImpactSearch::sweep_boxes(const SystemMotion& motion, double h, double tolerance,
                               const ImpactSearchRules& rules) {
  const std::vector<CollisionShape>& shapes = system_->shapes();
  boxes_.resize(shapes.size());
  is_static_.resize(shapes.size());
  const double half_gap = 0.5 * (kNear * tolerance + system_->protective_layer());
  // Boxes that hold each shape during the whole motion, with half the largest distance each.
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const int shape = static_cast<int>(i), tree = system_->articulation_of_shape(shape);
    is_static_[i] = tree < 0;
    if (tree >= 0 && !rules.searched_trees.empty() && is_searched(shape, motion, rules)) {
      boxes_[i] = boxes_ahead_[i];
      continue;
    }
    const BodyOfSystem body(motion, shapes[i].body);
    boxes_[i] = swept_box({shapes[i].shape, shapes[i].X_BG, body}, 0.0, h).grown(half_gap);
  }
}

bool ImpactSearch::leaves_out(const PairOfShapes& pair, const SystemMotion& motion,
                              const ImpactSearchRules& rules) const {
  if (!system_->may_collide(pair.first, pair.second)) return true;
  if (!rules.searched_trees.empty() && is_searched(pair.first, motion, rules) &&
      is_searched(pair.second, motion, rules)) {
    return true;
  }
  return std::binary_search(rules.left_out.begin(), rules.left_out.end(), pair);
}

void ImpactSearch::note_near_pairs(const std::vector<PairOfShapes>& pairs,
                                   const SystemMotion& motion, double h, double tolerance,
                                   const ImpactSearchRules& rules,
                                   std::vector<NearPair>& near) const {
  if (rules.searched_trees.empty()) near.clear();
  std::erase_if(near, [&](const NearPair& known) {
    return !is_searched(known.pair.first, motion, rules) ||
           !is_searched(known.pair.second, motion, rules);
  });
  for (const PairOfShapes& pair : pairs) {
    if (!both_fall(pair, motion) || leaves_out(pair, motion, rules)) continue;
    std::int64_t effort = 0;
    const TimeOfImpact found = search_pair(motion, pair, true, h, kNear * tolerance, effort);
    // A pair that takes effort is searched each time, so that its effort always counts.
    if (found.status == ImpactStatus::Clear && effort == 0) continue;
    near.push_back({pair, motion.start_time() + (effort == 0 ? found.time : 0.0)});
  }
  std::sort(near.begin(), near.end(), [](const NearPair& x, const NearPair& y) {
    return std::tie(x.time, x.pair) < std::tie(y.time, y.pair);
  });
}

void ImpactSearch::search_near_pairs(const SystemMotion& motion, double h, double tolerance,
                                     const ImpactSearchRules& rules,
                                     const std::vector<NearPair>& near, FirstImpact& first) const {
  std::vector<std::pair<double, PairOfShapes>> landing;
  for (const NearPair& known : near) {
    // Later pairs cannot come first, whatever the rounding of their time. All searches have the
    // same interval, so that no result depends on which others there were.
    if (known.time - motion.start_time() > first.elapsed + kTimeRounding * h) break;
    const TimeOfImpact found = search_pair(motion, known.pair, true, h, tolerance, first.effort);
    if (found.status == ImpactStatus::Unfinished) {
      first.unfinished.push_back(known.pair);
    } else if (found.status == ImpactStatus::Impact && found.time <= rules.nearest) {
      first.touching_at_start.push_back(known.pair);
    } else if (found.status == ImpactStatus::Impact && rules.lands_in_step &&
               rules.lands_in_step(known.pair, found.approach)) {
      landing.emplace_back(found.time, known.pair);
    } else if (found.status == ImpactStatus::Impact && found.time <= first.elapsed) {
      first.status = ImpactStatus::Impact;
      first.elapsed = found.time;
    }
  }
  // The motion ends before others land.
  for (const auto& [time, pair] : landing) {
    if (time <= first.elapsed) first.landing.push_back(pair);
  }
}

FirstImpact ImpactSearch::find_first(const SystemMotion& motion, double h, double tolerance,
                                     const ImpactSearchRules& rules, std::int64_t max_effort,
                                     std::vector<NearPair>* near) {
  const TimedPart part(StepPart::Collision);
  sweep_boxes(motion, h, tolerance, rules);
  FirstImpact first;
  first.elapsed = first.guessed = h;
  const std::vector<PairOfShapes>& pairs = broad_phase_.find_pairs(boxes_, is_static_);
  if (near != nullptr) {
    boxes_ahead_ = boxes_;
    note_near_pairs(pairs, motion, h, tolerance, rules, *near);
    search_near_pairs(motion, h, tolerance, rules, *near, first);
  }
  // Each search ends at the earliest impact found so far.
  for (const PairOfShapes& pair : pairs) {
    if (first.effort >= max_effort) {
      first.status = ImpactStatus::Unfinished;
      return first;
    }
    if ((near != nullptr && both_fall(pair, motion)) || leaves_out(pair, motion, rules)) continue;
    const bool certain = is_certain(pair.first, rules) && is_certain(pair.second, rules);
    const double end = certain ? first.elapsed : std::min(first.elapsed, first.guessed);
    const TimeOfImpact found = search_pair(motion, pair, certain, end, tolerance, first.effort);
    if (found.status == ImpactStatus::Clear) continue;
    if (!certain) {
      // What lands, or touches at the start, is no event.
      const bool is_event = found.status == ImpactStatus::Impact && found.time > rules.nearest &&
                            !(rules.lands_in_step && rules.lands_in_step(pair, found.approach));
      if (is_event) first.guessed = found.time;
      continue;
    }
    if (found.status == ImpactStatus::Unfinished) {
      first.unfinished.push_back(pair);
      continue;
    }
    // Pairs that touch at the start would hide all later impacts.
    if (found.time <= rules.nearest) {
      first.touching_at_start.push_back(pair);
      continue;
    }
    if (rules.lands_in_step && rules.lands_in_step(pair, found.approach)) {
      first.landing.push_back(pair);
      continue;
    }
    first.status = found.status;
    first.elapsed = found.time;
  }
  if (first.effort >= max_effort) first.status = ImpactStatus::Unfinished;
  first.guessed = std::min(first.guessed, first.elapsed);
  std::sort(first.touching_at_start.begin(), first.touching_at_start.end());
  std::sort(first.landing.begin(), first.landing.end());
  std::sort(first.unfinished.begin(), first.unfinished.end());
  return first;
}

}  // namespace amontons
