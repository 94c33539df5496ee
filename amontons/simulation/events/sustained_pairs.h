#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/simulation/events/impact_search.h"
#include "amontons/simulation/system/pair_of_shapes.h"
#include "amontons/simulation/system/state.h"
#include "amontons/simulation/system/system.h"

#include <functional>
#include <vector>

namespace amontons {

/// Says which pairs of shapes a motion sustains.
struct SustainedPairRules {
  double length = 0.0;          ///< of the whole motion [s]
  double rest_speed = 0.0;      ///< [m/s]
  bool all_that_close = false;  ///< true: all that close their gaps, as in time stepping
  /// Returns true if a pair that meets at an approach speed [m/s] is sustained by the motion in
  /// which it lands.
  std::function<bool(const PairOfShapes&, double approach)> lands_in_step;
};

/// Chooses the pairs of shapes in sustained contact during a motion between events. They are pairs
/// that touch and do not leave, pairs that carried an impulse and would close their gap again, and
/// what lands in the step. Where contacts land in the step, the neighbors of their trees are
/// sustained, too: impulses move these trees towards them. All lists are sorted.
class SustainedPairs {
 public:
  explicit SustainedPairs(const System& system) : system_(&system) {}

  /// Selects the pairs of a motion from `start`.
  /// @param touching  contacts that touch at the start.
  /// @param near      contacts in reach of the whole motion, which must stay valid.
  void select(const State& start, const ContactProblem& touching, const ContactProblem& near,
              SustainedPairRules rules);

  /// Adds the pairs that a search for impacts has listed apart; returns false if there are none.
  bool add(const FirstImpact& found);
  /// Adds the pairs in reach whose gaps the velocities v [nv] close within the motion; returns
  /// false if there are none.
  bool add_closing(const Eigen::Ref<const Eigen::VectorXd>& v);
  /// Removes pairs.
  void remove(const std::vector<PairOfShapes>& pairs);

  const std::vector<PairOfShapes>& pairs() const { return pairs_; }  ///< pairs in sustained contact
  bool empty() const { return pairs_.empty(); }                      ///< true without any
  /// Returns true if the pair of a contact is in sustained contact.
  bool contains(const ContactKey& key) const;
  /// Returns the pairs that need no search for impacts: sustained ones whose contacts are in reach,
  /// and those for which a search has no use.
  /// @param near  pairs in reach of the motion.
  std::vector<PairOfShapes> unsearched(const std::vector<PairOfShapes>& near) const;

 private:
  void add_neighbors();

  const System* system_;
  SustainedPairRules rules_;
  const ContactProblem* near_ = nullptr;
  std::vector<PairOfShapes> pairs_, unsearchable_;
};

}  // namespace amontons
