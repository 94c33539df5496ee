#pragma once

#include "amontons/optimization/ccp/cone_problem.h"

#include <memory>
#include <span>
#include <vector>

namespace amontons {

/// Some blocks of a cone problem as a problem of its own; the others carry nothing. In heaps, where
/// half of the contacts are open, a step of a second-order method costs a third there. Memory is
/// kept.
class RestrictedProblem {
 public:
  /// @param whole  must outlive the use of problem().
  /// @param blocks  of `whole`, ascending.
  void select(const ConeProblem& whole, std::span<const int> blocks);

  /// Of these blocks alone; W is owned here.
  const ConeProblem& problem() const { return problem_; }
  /// Of the whole problem, ascending.
  std::span<const int> blocks() const { return blocks_; }

  /// @param whole  reactions of the whole problem. @param part  resized.
  void restrict(const Eigen::VectorXd& whole, Eigen::VectorXd& part) const;
  /// @param part  reactions of problem(). @param whole  resized; zero for blocks left out.
  void prolong(const Eigen::VectorXd& part, Eigen::VectorXd& whole) const;

 private:
  std::vector<int> blocks_;
  std::unique_ptr<DelassusOperator> W_;
  ConeProblem problem_;
  Eigen::Index size_of_whole_ = 0;
};

}  // namespace amontons
