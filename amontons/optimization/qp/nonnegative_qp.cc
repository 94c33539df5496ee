#include "amontons/optimization/qp/nonnegative_qp.h"

#include <limits>
#include <stdexcept>
#include <string>

namespace amontons {

using Eigen::Index;
using Eigen::VectorXd;

BoxQuadraticProgram as_box_qp(const NonnegativeQuadraticProgram& problem) {
  const Index n = problem.g.size();
  return {problem.H, problem.g, VectorXd::Zero(n),
          VectorXd::Constant(n, std::numeric_limits<double>::infinity())};
}

void validate(const NonnegativeQpSettings& settings) {
  if (!(settings.tolerance > 0.0)) {
    throw std::invalid_argument("nonnegative QP: tolerance must be positive, got " +
                                std::to_string(settings.tolerance));
  }
  if (settings.max_factorizations < 0) {
    throw std::invalid_argument("nonnegative QP: max_factorizations must not be negative, got " +
                                std::to_string(settings.max_factorizations));
  }
}

namespace {

/// Returns true if a status decides the problem: solved, or proved to have no solution.
bool is_decided(SolveStatus status) {
  return status == SolveStatus::Converged || status == SolveStatus::Infeasible;
}

/// Translates a solution of block pivoting.
NonnegativeQpSolution to_nonnegative(const BoxQpSolution& pivoted) {
  return {.status = pivoted.status,
          .y = pivoted.x,
          .residual = pivoted.residual,
          .method = pivoted.factorizations > 0 ? NonnegativeQpMethod::BlockPivoting
                                               : NonnegativeQpMethod::None,
          .factorizations = pivoted.factorizations,
          .ray = pivoted.ray};
}

}  // namespace

NonnegativeQpSolution solve_nonnegative_qp(const NonnegativeQuadraticProgram& problem,
                                           const NonnegativeQpSettings& settings,
                                           const std::optional<VectorXd>& start) {
  validate(settings);
  const BoxQpSolution pivoted = solve_block_pivoting(
      as_box_qp(problem),
      {.tolerance = settings.tolerance, .max_factorizations = settings.max_factorizations}, start);
  // The active set method is slower and finite: a fallback.
  if (is_decided(pivoted.status)) return to_nonnegative(pivoted);
  NonnegativeQpSolution solution = solve_lawson_hanson(problem, settings);
  solution.factorizations += pivoted.factorizations;
  // Neither decided the problem: the point of least residual remains.
  if (!is_decided(solution.status) && pivoted.residual < solution.residual) {
    solution.y = pivoted.x;
    solution.residual = pivoted.residual;
    solution.method = to_nonnegative(pivoted).method;
  }
  return solution;
}

}  // namespace amontons
