#pragma once

#include "amontons/optimization/ccp/cone_problem.h"

#include <Eigen/Core>

#include <limits>

namespace amontons {

/// Extrapolates a fixed-point iteration on reactions where it drifts.
///
/// The present modes of contact (open, stick, slide) may admit no solution. Then sweeps of
/// Gauss-Seidel move reactions that balance each other by the same amount again and again, until a
/// contact opens or begins to slide. No acceleration detects that: it looks for the fixed point of
/// the present modes, and there is none. A steady move is therefore continued up to the first
/// change of mode. At first it goes no further than its own decay leaves of it (Aitken's estimate).
/// Whenever the move is as large again, it goes four times as far.
class DriftExtrapolation {
 public:
  /// The problem must outlive it.
  explicit DriftExtrapolation(const ConeProblem& problem) : problem_(problem) {}

  /// Observes a step of the iteration. @returns how many times the step from -> to is to be
  /// repeated, starting at `to`; 0 where the iteration does not drift.
  double repeats(const Eigen::VectorXd& from, const Eigen::VectorXd& to);

 private:
  double to_change_of_mode(const Eigen::VectorXd& r) const;

  const ConeProblem& problem_;
  Eigen::VectorXd move_, last_;  // last_ is empty after a jump
  int num_steady_moves_ = 0;     // moves in a row that were nearly the one before
  double reach_ = 1.0;
  double size_before_ =
      std::numeric_limits<double>::infinity();  // size of the move at the last jump
};

}  // namespace amontons
