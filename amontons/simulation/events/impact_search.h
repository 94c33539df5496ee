#pragma once

#include "amontons/geometry/broad_phase/broad_phase.h"
#include "amontons/geometry/time_of_impact.h"
#include "amontons/simulation/events/event_evaluation.h"
#include "amontons/simulation/events/system_motion.h"
#include "amontons/simulation/system/system.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace amontons {

/// Holds the first touch among all pairs of shapes.
struct FirstImpact {
  ImpactStatus status = ImpactStatus::Clear;
  double elapsed = 0.0;  ///< [s]; the whole interval where it is clear
  /// First touch of a pair whose motion is a guess, if it is before `elapsed` [s]; else `elapsed`.
  double guessed = 0.0;
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

/// Names two shapes on trees that fall freely, or on one of these and a fixed body, which may touch
/// after a time.
struct NearPair {
  PairOfShapes pair;
  /// Until then they stay apart by more than the tolerance, and the rounding of a later start [s].
  double time = 0.0;
};

/// Says which pairs of shapes the search for impacts leaves out or lists apart.
struct ImpactSearchRules {
  std::vector<PairOfShapes> left_out;  ///< pairs to skip, sorted
  /// Says of each articulation whether its motion is certain. Pairs of others are guesses: they
  /// are listed nowhere, and end no search but their own. Empty: all are certain.
  std::vector<char> certain_trees;
  /// Marks articulations whose pairs with each other and with fixed bodies are known, as long as
  /// they fall freely: to be clear, or as NearPair. Empty: none are.
  std::span<const char> searched_trees;
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
  /// @param near  where given, pairs of trees that fall freely are followed through the whole
  /// interval, for later searches. Holds those of the searched trees, and then all; times are those
  /// of the motion's system.
  FirstImpact find_first(const SystemMotion& motion, double h, double tolerance,
                         const ImpactSearchRules& rules, std::int64_t max_effort,
                         std::vector<NearPair>* near = nullptr);

 private:
  /// Returns true if the motion of a shape's body is certain.
  bool is_certain(int shape, const ImpactSearchRules& rules) const;
  /// Returns true if a shape is fixed, or its tree is one of those searched.
  bool is_searched(int shape, const SystemMotion& motion, const ImpactSearchRules& rules) const;
  /// Returns true for two shapes of which each is fixed or falls freely.
  bool both_fall(const PairOfShapes& pair, const SystemMotion& motion) const;
  /// Updates boxes_ for the interval [0, h].
  void sweep_boxes(const SystemMotion& motion, double h, double tolerance,
                   const ImpactSearchRules& rules);
  /// Returns true if the rules leave the search of a pair out.
  bool leaves_out(const PairOfShapes& pair, const SystemMotion& motion,
                  const ImpactSearchRules& rules) const;
  /// Adds the pairs that may touch in [0, h] to those of the searched trees.
  void note_near_pairs(const std::vector<PairOfShapes>& pairs, const SystemMotion& motion, double h,
                       double tolerance, const ImpactSearchRules& rules,
                       std::vector<NearPair>& near) const;
  /// Finds the first touch of these.
  void search_near_pairs(const SystemMotion& motion, double h, double tolerance,
                         const ImpactSearchRules& rules, const std::vector<NearPair>& near,
                         FirstImpact& first) const;
  TimeOfImpact search_pair(const SystemMotion& motion, const PairOfShapes& pair, bool is_certain,
                           double end, double tolerance, std::int64_t& effort) const;

  const System* system_;
  BroadPhase broad_phase_;
  std::vector<Aabb> boxes_;
  std::vector<Aabb> boxes_ahead_;  // of the last search that looked ahead
  std::vector<char> is_static_;
};

}  // namespace amontons
