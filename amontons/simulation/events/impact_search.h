#pragma once

#include "amontons/geometry/broad_phase/broad_phase.h"
#include "amontons/geometry/time_of_impact.h"
#include "amontons/simulation/events/event_evaluation.h"
#include "amontons/simulation/events/system_motion.h"
#include "amontons/simulation/system/system.h"

#include <cstdint>
#include <vector>

namespace amontons {

/// Holds the first touch among all pairs of shapes.
struct FirstImpact {
  ImpactStatus status = ImpactStatus::Clear;
  double elapsed = 0.0;     ///< [s]; the whole interval where it is clear
  std::int64_t effort = 0;  ///< in distances of two boxes (geometry/distance_effort.h)
  /// Lists the pairs that touch within `nearest` of the start, sorted. None of them counts as the
  /// first to touch.
  std::vector<PairOfShapes> touching_at_start;
  /// Lists the pairs whose search is Unfinished, sorted. None of them counts as the first to touch.
  std::vector<PairOfShapes> unfinished;
};

/// Finds the time at which shapes of a system in motion first touch: swept boxes, then conservative
/// advancement of each pair (geometry/time_of_impact.h).
class ImpactSearch {
 public:
  explicit ImpactSearch(const System& system) : system_(&system) {}

  /// Searches the interval [0, h] of a motion. A pair has an effort of kMaxDistanceEvaluations, and
  /// 200 evaluations at least. The search is Unfinished where that of all pairs does not suffice.
  /// @param nearest    pairs that touch within this time [s] are listed apart.
  /// @param tolerance  gap at which shapes touch [m], beyond the protective layer.
  /// @param left_out   pairs of shapes to skip, sorted.
  /// @param max_effort  largest effort of all pairs, besides that of 20 evaluations for each pair
  /// whose swept boxes overlap.
  FirstImpact find_first(const SystemMotion& motion, double h, double tolerance,
                         const std::vector<PairOfShapes>& left_out, double nearest,
                         std::int64_t max_effort);

 private:
  const System* system_;
  BroadPhase broad_phase_;
  std::vector<Aabb> boxes_;
  std::vector<char> is_static_;
};

}  // namespace amontons
