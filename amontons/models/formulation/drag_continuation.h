#pragma once

#include "amontons/models/formulation/drag_search.h"
#include "amontons/models/formulation/drag_system.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Finds reactions and shares of a DragProblem together, by a search of shares and continuation in
/// the eps of a DragSystem (docs/theory/no-slip.md).
///
/// The search (drag_search.h) gives the solution at a small eps. There the pieces are kept, and the
/// overlaps that eps has left vanish. Where these pieces are wrong, eps falls further: a step that
/// keeps the piece of each contact leads from one eps to the next, and where the path turns back,
/// it is followed event by event (drag_path_trace.h).
class DragContinuation {
 public:
  /// The problem and its operator must outlive the object.
  explicit DragContinuation(const DragProblem& problem) : search_(problem), system_(problem) {}

  /// Solves from the free motion, and again from the shares found last.
  /// @param whole  true at contacts [n] that have their whole drag, whatever their load.
  /// @returns the solution. Its status is Stalled where the path does not arrive, IterationLimit
  ///          where the effort is spent.
  DragSolution solve(const std::vector<char>& whole);

 private:
  bool run();
  bool start();
  bool follow_path(double goal);
  bool shorten_step();
  bool remove_overlaps();
  double largest_violation(const Eigen::VectorXd& pieces) const;

  DragSearch search_;
  DragSystem system_;
  double factor_ = 1.0;  // between this eps and the next
};

}  // namespace amontons
