#include "amontons/optimization/qp/worst_variable.h"

#include "amontons/optimization/qp/scaled_box_qp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace amontons {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

/// Returns clamp(z - w) of measure_residual(), as x: exact where H is diagonal with powers of four.
VectorXd projected_step(const BoxQuadraticProgram& problem, const VectorXd& x) {
  const VectorXd D = internal::compute_box_scales(problem.H.diagonal());
  const VectorXd step = D.cwiseProduct(D).cwiseProduct(problem.H * x + problem.g);
  return (x - step).cwiseMax(problem.lower).cwiseMin(problem.upper);
}

}  // namespace

double measure_worst_variable(const BoxQuadraticProgram& problem,
                              const Eigen::Ref<const VectorXd>& x) {
  validate(problem);
  const Index n = problem.g.size();
  if (x.size() != n) {
    throw std::invalid_argument("box QP: x has size " + std::to_string(x.size()) + ", expected " +
                                std::to_string(n));
  }
  if (!x.allFinite()) return std::numeric_limits<double>::infinity();
  // In the units of z, D_i H_ii D_i is near 1.
  const VectorXd D = internal::compute_box_scales(problem.H.diagonal());
  constexpr double kRounding = 4.0 * std::numeric_limits<double>::epsilon();
  double worst = 0.0;
  for (Index i = 0; i < n; ++i) {
    const auto row = problem.H.row(i);
    const double w = D(i) * (row.dot(x) + problem.g(i));
    const double terms = D(i) * (row.cwiseAbs().dot(x.cwiseAbs()) + std::abs(problem.g(i)));
    const double z = x(i) / D(i), lower = problem.lower(i) / D(i), upper = problem.upper(i) / D(i);
    const double distance = std::abs(z - std::clamp(z - w, lower, upper)) - kRounding * terms;
    const double size = std::min(terms, upper - lower);
    if (distance > 0.0) worst = std::max(worst, distance / size);
  }
  return worst;
}

BoxQpSolution solve_each_variable(const BoxQuadraticProgram& problem,
                                  const BoxQpSettings& settings) {
  BoxQpSolution solution = solve_box_qp(problem, settings);
  // A solution that no double holds cannot be improved.
  if (solution.status != SolveStatus::Converged || !solution.x.allFinite()) return solution;
  double worst = measure_worst_variable(problem, solution.x);
  const auto offer = [&](const VectorXd& x) {
    const double measured = measure_worst_variable(problem, x);
    if (!(measured < worst)) return;
    solution.x = x;
    solution.residual = measure_residual(problem, x);
    worst = measured;
  };
  if (worst > settings.tolerance) offer(projected_step(problem, solution.x));
  if (worst > settings.tolerance) {
    // The smallest tolerance; what it stalls at is judged by the variables.
    BoxQpSettings all_digits = settings;
    all_digits.tolerance = std::numeric_limits<double>::min();
    offer(solve_box_qp(problem, all_digits, solution.x).x);
  }
  solution.residual = std::max(solution.residual, worst);
  if (!(worst <= settings.tolerance)) solution.status = SolveStatus::Stalled;
  return solution;
}

}  // namespace amontons
