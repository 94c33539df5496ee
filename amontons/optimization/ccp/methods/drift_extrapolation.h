#pragma once

#include "amontons/optimization/ccp/cone_problem.h"

#include <Eigen/Core>

#include <limits>

namespace amontons {

/// Tells a fixed-point iteration on reactions how far it may go on at once where it drifts.
///
/// While the present modes of contact (open, stick, slide) admit no answer the sweeps of
/// Gauss-Seidel move reactions that balance each other by the same amount again and again, until a
/// contact opens or begins to slide. No acceleration sees that: it looks for the fixed point of the
/// present modes, and there is none. A steady move is therefore continued up to the first change of
/// mode, at first by no more than what its own decay leaves of it (Aitken's estimate), four times
/// as far whenever it has come back as large as before.
class ReactionDrift {
 public:
  /// The problem must outlive it.
  explicit ReactionDrift(const ConeProblem& problem) : problem_(problem) {}

  /// After a step of the iteration. @returns how many times the step from -> to is to be repeated
  /// from `to` on; 0 where it does not drift.
  double repeats(const Eigen::VectorXd& from, const Eigen::VectorXd& to);

 private:
  double to_change_of_mode(const Eigen::VectorXd& r) const;

  const ConeProblem& problem_;
  Eigen::VectorXd move_, last_;  // last_ is empty after a jump
  int is_steady_ = 0;            // moves in a row that were nearly the one before
  double reach_ = 1.0;
  double size_before_ = std::numeric_limits<double>::infinity();  // of the move at the last jump
};

}  // namespace amontons
