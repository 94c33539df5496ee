#include "amontons/models/formulation/regularized_drag.h"

#include "amontons/math/effort.h"

#include <algorithm>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Eps of the continuation: the first one and the factor to the next [-].
constexpr double kFirstEps = 0.1, kFactor = 0.1;
// z_0 that keeps a lifted contact from its normal impulse [-].
constexpr double kLiftedBase = -1e30;

}  // namespace

RegularizedDrag::RegularizedDrag(const DragProblem& problem)
    : problem_(problem), drag_numbers_(problem.drag_numbers), system_(problem_) {
  std::fill(system_.whole.begin(), system_.whole.end(), 1);
}

bool RegularizedDrag::solve(const VectorXd& shares, const std::vector<Index>& lifted) {
  problem_.drag_numbers = shares.cwiseProduct(drag_numbers_);
  system_.base.setZero();
  for (const Index i : lifted) system_.base(i) = kLiftedBase;
  system_.eps = kEps;
  if (has_solution_) {
    system_.move_to(VectorXd(system_.at.r));
    if (system_.find_zero()) return true;
  }
  system_.move_to(VectorXd::Zero(problem_.q.size()));
  // Bound: eps falls to the last one.
  for (system_.eps = kFirstEps; has_effort(); system_.eps *= kFactor) {
    system_.eps = std::max(system_.eps, kEps);
    system_.move_to(VectorXd(system_.at.r));
    has_solution_ = system_.find_zero();
    if (!has_solution_ || system_.eps <= kEps) return has_solution_;
  }
  return false;
}

VectorXd RegularizedDrag::loads() const {
  VectorXd result(system_.num_contacts());
  for (Index i = 0; i < result.size(); ++i) {
    result(i) = system_.at.z(i) > 0.0 ? system_.at.z(i) : system_.overlap(i);
  }
  return result;
}

}  // namespace amontons
