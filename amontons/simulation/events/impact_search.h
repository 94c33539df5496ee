#pragma once

#include "amontons/geometry/broad_phase/broad_phase.h"
#include "amontons/geometry/time_of_impact.h"
#include "amontons/simulation/events/event_evaluation.h"
#include "amontons/simulation/events/system_motion.h"
#include "amontons/simulation/system/system.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace amontons {

/// Holds the first touch among all pairs of shapes.
struct FirstImpact {
  ImpactStatus status = ImpactStatus::Clear;
  double elapsed = 0.0;  ///< [s]; the whole interval where it is clear
  /// Effort beyond 20 evaluations for each pair, in distances of two boxes (distance_effort.h).
  std::int64_t effort = 0;
  /// Lists the pairs that touch within `nearest` of the start, sorted. None of them counts as the
  /// first to touch.
  std::vector<PairOfShapes> touching_at_start;
  /// Lists the pairs that land in the step, sorted. None of them counts as the first to touch.
  std::vector<PairOfShapes> landing;
  /// Lists the pairs whose search is Unfinished, sorted. None of them counts as the first to touch.
  std::vector<PairOfShapes> unfinished;
};

/// Says which pairs of shapes the search for impacts leaves out or lists apart.
struct ImpactSearchRules {
  std::vector<PairOfShapes> left_out;  ///< pairs to skip, sorted
  /// Says of each articulation whether its motion is known; pairs of others are skipped. Empty: all
  /// are known.
  std::vector<char> known_trees;
  double nearest = 0.0;  ///< pairs that touch within this time are listed apart [s]
  /// Returns true if a pair that meets at a speed [m/s] is listed apart whenever it meets: it is no
  /// event. Unset, every pair is one.
  std::function<bool(const PairOfShapes&, double approach)> lands_in_step;
};

/// Finds the time at which shapes of a system in motion first touch: swept boxes, then conservative
/// advancement of each pair (geometry/time_of_impact.h).
class ImpactSearch {
 public:
  explicit ImpactSearch(const System& system) : system_(&system) {}

  /// Searches the interval [0, h] of a motion. A pair has an effort of kMaxDistanceEvaluations, and
  /// 200 evaluations at least. The search is Unfinished where that of all pairs does not suffice.
  /// @param tolerance  gap at which shapes touch [m], beyond the protective layer.
  /// @param max_effort  largest effort of all pairs (FirstImpact::effort).
  FirstImpact find_first(const SystemMotion& motion, double h, double tolerance,
                         const ImpactSearchRules& rules, std::int64_t max_effort);

 private:
  /// Returns true if the motion of a shape's body is known.
  bool is_known(int shape, const ImpactSearchRules& rules) const;

  const System* system_;
  BroadPhase broad_phase_;
  std::vector<Aabb> boxes_;
  std::vector<char> is_static_;
};

}  // namespace amontons
