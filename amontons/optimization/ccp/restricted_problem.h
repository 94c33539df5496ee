#pragma once

#include "amontons/optimization/ccp/cone_problem.h"

#include <memory>
#include <span>
#include <vector>

namespace amontons {

/// Presents some blocks of a cone problem as a problem of its own; the others carry nothing. In
/// heaps half of the contacts are open, and a step of a second-order method then costs a third.
/// Memory is kept.
class RestrictedProblem {
 public:
  /// Selects the blocks.
  /// @param whole  must outlive the use of problem().
  /// @param blocks  numbers in `whole`, ascending.
  void select(const ConeProblem& whole, std::span<const int> blocks);

  /// Returns the problem of these blocks alone; W is owned here.
  const ConeProblem& problem() const { return problem_; }
  /// Returns the blocks' numbers in the whole problem, ascending.
  std::span<const int> blocks() const { return blocks_; }

  /// Copies the entries of the selected blocks.
  /// @param whole  reactions of the whole problem. @param part  resized.
  void restrict(const Eigen::VectorXd& whole, Eigen::VectorXd& part) const;
  /// Copies them back, with zero for blocks left out.
  /// @param part  reactions of problem(). @param whole  resized.
  void prolong(const Eigen::VectorXd& part, Eigen::VectorXd& whole) const;

 private:
  std::vector<int> blocks_;
  std::unique_ptr<DelassusOperator> W_;
  ConeProblem problem_;
  Eigen::Index size_of_whole_ = 0;
};

}  // namespace amontons
