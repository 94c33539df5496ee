#pragma once

#include "amontons/math/solve_status.h"
#include "amontons/models/formulation/drag_system.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Holds the solution of a DragProblem.
struct DragSolution {
  SolveStatus status = SolveStatus::NotRun;
  Eigen::VectorXd r;   ///< [3 n] [sqrt(J)], also where the status is not Converged
  int iterations = 0;  ///< factorizations until now
};

/// Finds reactions and shares of a DragProblem together, by Newton's method and continuation in the
/// eps of a DragSystem (docs/theory/no-slip.md).
///
/// eps falls from 0.1. A step that keeps the piece of each contact leads from one eps to the next.
/// Where the path turns back, it is followed event by event (drag_path_trace.h). At its end the
/// pieces are kept, and the overlaps that eps has left vanish.
class DragContinuation {
 public:
  /// The problem and its operator must outlive the object.
  explicit DragContinuation(const DragProblem& problem) : system_(problem) {}

  /// Solves from the free motion.
  /// @param whole  true at contacts [n] that have their whole drag, whatever their load.
  /// @returns the solution. Its status is Stalled where the path does not arrive, IterationLimit
  ///          where the effort is spent.
  DragSolution solve(const std::vector<char>& whole);

 private:
  bool run();
  bool start();
  bool follow_path(double goal);
  bool shorten_step(double goal);
  bool remove_overlaps();
  double largest_violation(const Eigen::VectorXd& pieces) const;

  DragSystem system_;
  double factor_ = 1.0;      // between this eps and the next
  bool may_restart_ = true;  // the path has not been traced from its start
};

}  // namespace amontons
