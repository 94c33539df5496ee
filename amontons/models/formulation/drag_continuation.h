#pragma once

#include "amontons/models/formulation/drag_release.h"
#include "amontons/models/formulation/drag_search.h"
#include "amontons/models/formulation/drag_system.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Finds reactions and shares of a DragProblem together, by a search of shares and continuation in
/// the eps of a DragSystem (docs/theory/no-slip.md).
///
/// The search (drag_search.h), or paths that let contacts go one by one (drag_release.h), give the
/// solution at a small eps. There the pieces are kept, and the overlaps that eps has left vanish.
/// Where these pieces are wrong, eps falls further: a step that keeps the piece of each contact
/// leads from one eps to the next.
class DragContinuation {
 public:
  /// The problem and its operator must outlive the object.
  explicit DragContinuation(const DragProblem& problem)
      : search_(problem), release_(problem), system_(problem) {}

  /// Solves from the free motion, and again from the shares found last.
  /// @param whole  true at contacts [n] that have their whole drag, whatever their load. Those that
  ///               paths have let go are removed.
  /// @returns the solution. Its status is Stalled where the path does not arrive, IterationLimit
  ///          where the effort is spent.
  DragSolution solve(std::vector<char>& whole);

 private:
  bool run(std::vector<char>& whole);
  bool start_by_search();
  bool finish();
  bool follow_path(double goal);
  bool remove_overlaps();
  double largest_violation(const Eigen::VectorXd& pieces) const;

  DragSearch search_;
  DragRelease release_;
  DragSystem system_;
  double factor_ = 1.0;       // between this eps and the next
  bool needs_paths_ = false;  // the search has failed
};

}  // namespace amontons
