#pragma once

#include "amontons/simulation/events/event_evaluation.h"
#include "amontons/simulation/events/impact_search.h"
#include "amontons/simulation/events/sustained_pairs.h"
#include "amontons/simulation/events/system_motion.h"
#include "amontons/simulation/system/state.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <cstdint>
#include <span>
#include <vector>

namespace amontons {

/// Holds where a motion is expected to end, before its contacts are solved.
struct ExpectedEvent {
  /// Length of the first attempt [s]: up to the first event of trees that fly, or a little beyond
  /// what the others are expected to meet.
  double length = 0.0;
  /// Time before which trees that fly meet neither each other nor fixed bodies [s].
  double first_of_flights = 0.0;
  std::int64_t effort = 0;         ///< of the search (FirstImpact::effort)
  std::size_t num_unfinished = 0;  ///< pairs that the search gave up
};

/// Expects the end of a motion. The way of trees that fly needs no solution of the sustained
/// contacts. That of all others is taken at the velocities of the start, which is a guess: an
/// attempt of that length is nearer to the motion, and its solution, than one of the whole length.
///
/// Pairs of trees that fall freely are searched once between two instants of the steps, as long as
/// no event touches them: an impact costs what it touches. What is kept never shows in a result.
class EventExpectation {
 public:
  /// Binds it to the parts of a stepper, which must outlive it.
  EventExpectation(const System& system, EventEvaluator& evaluator, ImpactSearch& search,
                   SystemMotion& motion, SustainedPairs& sustained)
      : evaluator_(&evaluator),
        search_(&search),
        motion_(&motion),
        sustained_(&sustained),
        system_(&system) {}

  /// Expects the end of a motion, and adds to the sustained pairs those that land in it.
  /// @param start  of the motion, with its whole length.
  /// @param near   pairs in reach of it, sorted.
  /// @param rules  of the search; which trees are certain, and which pairs to leave out, follow
  /// from the sustained pairs.
  /// @param max_effort  largest effort. Where it does not suffice, the whole length is expected.
  ExpectedEvent find(const StepStart& start, const std::vector<PairOfShapes>& near,
                     double tolerance, ImpactSearchRules rules, std::int64_t max_effort);

  /// Marks the trees that fall freely in the last motion [articulations]: their way is the same in
  /// every attempt, so that their pairs with each other and with fixed bodies need no other search
  /// up to `first_of_flights`. Empty: none do. It stays valid until note_end().
  std::span<const char> searched_trees() const { return fell_; }

  /// Notes the state in which the motion has ended, where it was that of the expectation: pairs of
  /// trees that fall on need not be searched again before the next instant of the steps.
  void note_end(const State& end);
  /// Forgets what is known of pairs that fall.
  void forget() { fell_.clear(); }

 private:
  /// Keeps the marks of trees that have fallen since the last search, and whose state is unchanged.
  void keep_fallen(const StepStart& start);

  EventEvaluator* evaluator_;
  ImpactSearch* search_;
  SystemMotion* motion_;
  SustainedPairs* sustained_;
  const System* system_;
  std::vector<char> fell_;             // [articulations] since the last search; empty: unknown
  std::vector<NearPair> near_;         // pairs of these that may meet
  double instant_ = 0.0, step_ = 0.0;  // end and length of the interval that was searched [s]
  Eigen::VectorXd q_, v_;              // where the last motion ended
};

}  // namespace amontons
