#include "amontons/simulation/events/impact_search.h"

#include "amontons/geometry/distance_effort.h"
#include "amontons/math/step_times.h"

#include <algorithm>

namespace amontons {
namespace {

// Evaluations that are free for each pair: most pairs need fewer, however many there are.
constexpr int kEvaluationsOfPair = 20;
// Evaluations that a pair may have, however much effort they take.
constexpr int kLeastEvaluations = 200;

}  // namespace

bool ImpactSearch::is_known(int shape, const ImpactSearchRules& rules) const {
  const int tree = system_->articulation_of_shape(shape);
  return tree < 0 || rules.known_trees.empty() || rules.known_trees[static_cast<std::size_t>(tree)];
}

FirstImpact ImpactSearch::find_first(const SystemMotion& motion, double h, double tolerance,
                                     const ImpactSearchRules& rules, std::int64_t max_effort) {
  const TimedPart part(StepPart::Collision);
  const std::vector<CollisionShape>& shapes = system_->shapes();
  boxes_.resize(shapes.size());
  is_static_.resize(shapes.size());
  const double layer = system_->protective_layer();
  // Boxes that hold each shape during the whole motion, with half the touching distance each.
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const BodyOfSystem body(motion, shapes[i].body);
    boxes_[i] =
        swept_box({shapes[i].shape, shapes[i].X_BG, body}, 0.0, h).grown(0.5 * (tolerance + layer));
    is_static_[i] = system_->bodies()[static_cast<std::size_t>(shapes[i].body)].articulation < 0;
  }
  FirstImpact first;
  first.elapsed = h;
  // Each search ends at the earliest impact found so far.
  for (const PairOfShapes& pair : broad_phase_.find_pairs(boxes_, is_static_)) {
    const auto [a, b] = pair;
    if (!system_->may_collide(a, b)) continue;
    if (!is_known(a, rules) || !is_known(b, rules)) continue;
    if (std::binary_search(rules.left_out.begin(), rules.left_out.end(), pair)) continue;
    const CollisionShape &A = shapes[static_cast<std::size_t>(a)],
                         &B = shapes[static_cast<std::size_t>(b)];
    const BodyOfSystem body_A(motion, A.body), body_B(motion, B.body);
    const int effort =
        distance_effort(A.shape, B.shape) + motion.effort(A.body) + motion.effort(B.body);
    const TimeOfImpact found = find_time_of_impact(
        {A.shape, A.X_BG, body_A}, {B.shape, B.X_BG, body_B}, 0.0, first.elapsed, tolerance, layer,
        std::max(kLeastEvaluations, kMaxDistanceEvaluations / effort));
    first.effort +=
        static_cast<std::int64_t>(effort) * std::max(0, found.evaluations - kEvaluationsOfPair);
    if (first.effort >= max_effort) {
      first.status = ImpactStatus::Unfinished;
      return first;
    }
    if (found.status == ImpactStatus::Clear) continue;
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
    if (found.time == first.elapsed && first.status == ImpactStatus::Impact) continue;
    first.status = found.status;
    first.elapsed = found.time;
  }
  std::sort(first.touching_at_start.begin(), first.touching_at_start.end());
  std::sort(first.landing.begin(), first.landing.end());
  std::sort(first.unfinished.begin(), first.unfinished.end());
  return first;
}

}  // namespace amontons
