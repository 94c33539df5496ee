#include "amontons/optimization/ccp/strategy/problem_class.h"

#include "amontons/optimization/ccp/strategy/thresholds.h"

#include <algorithm>

namespace amontons::cone_strategy {

bool is_coarse(const ConeProblem& problem, double tolerance) {
  return tolerance >= kCoarseTolerance && problem.num_blocks() > kManyContacts &&
         problem.law == ConeLaw::Coulomb && !has_polygons(problem);
}

bool has_few_conditions(const ConeProblem& problem, std::size_t closed) {
  const double conditions = 3.0 * static_cast<double>(closed);
  return problem.num_blocks() > kManyContacts &&
         conditions <= kStackRatio * static_cast<double>(problem.W->kernel_size());
}

bool is_stack(const ConeProblem& problem, std::span<const int> near) {
  if (problem.num_blocks() <= kManyContacts || problem.law != ConeLaw::Coulomb) return false;
  if (!are_round_cones(problem)) return false;
  const double conditions = 3.0 * static_cast<double>(near.size());
  return conditions > kStackRatio * static_cast<double>(problem.W->kernel_size(near));
}

bool slides(const ConeProblem& problem, int i, const ConeIterate& point, double speed) {
  return problem.cones[static_cast<std::size_t>(i)].kind == ConeKind::Friction &&
         point.r(3 * i + 2) > 0.0 && point.u.segment<2>(3 * i).norm() > speed;
}

bool is_sliding_stack(const ConeProblem& problem, const ConeIterate& point) {
  for (int i = 0; i < problem.num_blocks(); ++i) {
    if (slides(problem, i, point, kSlidingStack / problem.residual_scale(i))) return true;
  }
  return false;
}

bool slides_nowhere(const ConeProblem& problem, const ConeIterate& point) {
  double slip = 0.0;
  for (int i = 0; i < problem.num_blocks(); ++i) {
    if (problem.cones[static_cast<std::size_t>(i)].kind != ConeKind::Friction) continue;
    slip = std::max(slip, point.u.segment<2>(3 * i).norm());
  }
  return slip <= kRestShare * problem.q.lpNorm<Eigen::Infinity>();
}

bool is_steep(const ConeProblem& problem) {
  return std::any_of(problem.cones.begin(), problem.cones.end(),
                     [](const Cone& cone) { return cone.mu > kSteepFriction; });
}

}  // namespace amontons::cone_strategy
