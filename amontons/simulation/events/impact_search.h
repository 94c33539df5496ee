#pragma once

#include "amontons/geometry/broad_phase/broad_phase.h"
#include "amontons/geometry/time_of_impact.h"
#include "amontons/simulation/events/event_evaluation.h"
#include "amontons/simulation/events/system_motion.h"
#include "amontons/simulation/system/system.h"

#include <vector>

namespace amontons {

/// The first of all pairs of shapes to touch.
struct FirstImpact {
  ImpactStatus status = ImpactStatus::Clear;
  double elapsed = 0.0;  ///< [s]; the whole interval where it is clear
  /// That touch at the very beginning, within `nearest`, sorted: none of them is the first to
  /// touch.
  std::vector<PairOfShapes> at_once;
};

/// Finds when shapes of a system in motion touch first: swept boxes, then conservative advancement
/// of each pair (geometry/time_of_impact.h).
class ImpactSearch {
 public:
  explicit ImpactSearch(const System& system) : system_(&system) {}

  /// In [0, h] of a motion.
  /// @param nearest    what touches within this time [s] is told apart.
  /// @param tolerance  within which shapes touch [m], beyond the protective layer.
  /// @param left_out   pairs of shapes that are not asked, sorted.
  FirstImpact find_first(const SystemMotion& motion, double h, double tolerance,
                         const std::vector<PairOfShapes>& left_out, double nearest);

 private:
  const System* system_;
  BroadPhase broad_phase_;
  std::vector<Aabb> boxes_;
  std::vector<char> is_static_;
};

}  // namespace amontons
