#include "amontons/optimization/ccp/restricted_problem.h"

namespace amontons {

using Eigen::Index;

void RestrictedProblem::select(const ConeProblem& whole, std::span<const int> blocks) {
  blocks_.assign(blocks.begin(), blocks.end());
  size_of_whole_ = whole.q.size();
  // W of the blocks alone; the other reactions are zero, so their columns are not needed.
  whole.W->restrict_to(blocks_, W_);
  const std::size_t count = blocks_.size();
  problem_.W = W_.get();
  problem_.law = whole.law;
  problem_.work_scale = whole.work_scale;
  problem_.q.resize(3 * static_cast<Index>(count));
  problem_.residual_scale.resize(static_cast<Index>(count));
  problem_.cones.resize(count);
  // Free velocities, scales and cones of the selected blocks.
  for (std::size_t k = 0; k < count; ++k) {
    const Index i = blocks_[k], own = static_cast<Index>(k);
    problem_.q.segment<3>(3 * own) = whole.q.segment<3>(3 * i);
    problem_.residual_scale(own) = whole.residual_scale(i);
    problem_.cones[k] = whole.cones[static_cast<std::size_t>(i)];
  }
}

void RestrictedProblem::restrict(const Eigen::VectorXd& whole, Eigen::VectorXd& part) const {
  part.resize(problem_.q.size());
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    part.segment<3>(3 * static_cast<Index>(k)) = whole.segment<3>(3 * Index{blocks_[k]});
  }
}

void RestrictedProblem::prolong(const Eigen::VectorXd& part, Eigen::VectorXd& whole) const {
  // Blocks that were left out carry nothing.
  whole.setZero(size_of_whole_);
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    whole.segment<3>(3 * Index{blocks_[k]}) = part.segment<3>(3 * static_cast<Index>(k));
  }
}

}  // namespace amontons
