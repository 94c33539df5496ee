#include "amontons/optimization/lcp/worst_pair.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace amontons {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

/// Holds a problem whose rows and columns have scales of their own, powers of two:
/// z = columns z', w' = rows w, M' = rows M columns, q' = rows q.
struct TwoSidedScaling {
  LinearComplementarityProblem scaled;
  VectorXd rows;     // [n]
  VectorXd columns;  // [n]
};

/// Returns the scales that bring the largest entries nearer to 1, of 1 for rows without any.
VectorXd scales_of(const VectorXd& largest) {
  return largest.unaryExpr([](double entry) {
    return entry > 0.0 ? std::exp2(std::round(-0.5 * std::log2(entry))) : 1.0;
  });
}

/// Scales rows and columns until each has a largest entry in [1/4, 4].
TwoSidedScaling scale_both_sides(const LinearComplementarityProblem& problem) {
  constexpr int kMaxSweeps = 40;
  const Index n = problem.q.size();
  TwoSidedScaling scaling{problem, VectorXd::Ones(n), VectorXd::Ones(n)};
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    const VectorXd rows = scales_of(scaling.scaled.M.cwiseAbs().rowwise().maxCoeff());
    const VectorXd columns =
        scales_of(scaling.scaled.M.cwiseAbs().colwise().maxCoeff().transpose());
    if (rows.isOnes(0.0) && columns.isOnes(0.0)) break;
    scaling.scaled.M = (rows.asDiagonal() * scaling.scaled.M * columns.asDiagonal()).eval();
    scaling.rows = scaling.rows.cwiseProduct(rows);
    scaling.columns = scaling.columns.cwiseProduct(columns);
  }
  scaling.scaled.q = scaling.rows.cwiseProduct(problem.q);
  return scaling;
}

/// Follows the paths of the problem with scales of its own for rows and columns.
LcpSolution solve_scaled(const LinearComplementarityProblem& problem,
                         const LemkeSettings& settings) {
  const TwoSidedScaling scaling = scale_both_sides(problem);
  LcpSolution solution = solve_lemke(scaling.scaled, settings);
  solution.z = scaling.columns.cwiseProduct(solution.z);
  // The ray is a combination of rows that proves infeasibility by M'y.
  if (solution.ray) solution.ray = scaling.rows.cwiseProduct(*solution.ray);
  return solution;
}

}  // namespace

double measure_worst_pair(const LinearComplementarityProblem& problem,
                          const Eigen::Ref<const VectorXd>& z) {
  validate(problem);
  const Index n = problem.q.size();
  if (z.size() != n) {
    throw std::invalid_argument("linear complementarity: z has size " + std::to_string(z.size()) +
                                ", expected " + std::to_string(n));
  }
  if (!z.allFinite() || (z.array() < 0.0).any()) return std::numeric_limits<double>::infinity();
  const VectorXd w = problem.M * z + problem.q;
  const VectorXd terms = problem.M.cwiseAbs() * z + problem.q.cwiseAbs();
  const auto share = [&](double part, Index row) {
    return terms(row) > 0.0 ? part / terms(row) : 0.0;
  };
  double worst = 0.0;
  for (Index i = 0; i < n; ++i) {
    double effect = 0.0;
    for (Index k = 0; k < n; ++k)
      effect = std::max(effect, share(std::abs(problem.M(k, i)) * z(i), k));
    const double distance = share(w(i), i);
    worst = std::max({worst, -distance, std::min(distance, effect)});
  }
  return worst;
}

LcpSolution solve_each_pair(const LinearComplementarityProblem& problem,
                            const LemkeSettings& settings) {
  LcpSolution solution = solve_lemke(problem, settings);
  double worst = measure_worst_pair(problem, solution.z);
  const bool is_converged = solution.status == SolveStatus::Converged;
  if (is_converged && worst <= settings.tolerance) {
    solution.residual = std::max(solution.residual, worst);
    return solution;
  }
  LcpSolution again = solve_scaled(problem, settings);
  const double worst_again = measure_worst_pair(problem, again.z);
  again.pivots += solution.pivots;
  again.attempts += solution.attempts;
  if (again.status == SolveStatus::Converged && worst_again <= settings.tolerance) {
    again.residual = std::max(again.residual, worst_again);
    return again;
  }
  solution.pivots = again.pivots;
  solution.attempts = again.attempts;
  const bool is_proved_twice = again.status == SolveStatus::Infeasible;
  if (solution.status == SolveStatus::Infeasible && !is_proved_twice) {
    solution.status = SolveStatus::RayTermination;
  }
  if (!is_converged) return solution;
  if (worst_again < worst) {
    solution.z = again.z;
    solution.residual = again.residual;
    worst = worst_again;
  }
  solution.residual = std::max(solution.residual, worst);
  solution.status = SolveStatus::Stalled;
  solution.z_is_basic.clear();
  return solution;
}

}  // namespace amontons
