#include "amontons/optimization/programs/lcp_methods.h"

#include "amontons/math/named_index.h"
#include "amontons/math/nearest_name.h"
#include "amontons/math/row_factor.h"
#include "amontons/optimization/lcp/lemke.h"
#include "amontons/optimization/lcp/modified_pivoting.h"
#include "amontons/optimization/lcp/plain_lemke.h"
#include "amontons/optimization/programs/box_qp_methods.h"
#include "amontons/optimization/programs/low_rank_root.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

ProgramAnswer by_lemke(const LinearComplementarityProblem& problem, double tolerance) {
  LemkeSettings settings;
  settings.tolerance = tolerance;
  LcpSolution found = solve_lemke(problem, settings);
  return {found.status, std::move(found.z), found.residual, found.pivots};
}

ProgramAnswer by_plain_lemke(const LinearComplementarityProblem& problem, double tolerance) {
  PlainLemkeSolution found = solve_plain_lemke(problem);
  // The routine has a tolerance of its own, beyond which it has failed.
  SolveStatus status = found.status;
  if (status == SolveStatus::Stalled) status = SolveStatus::NumericalFailure;
  const bool is_inexact = status == SolveStatus::Converged && !(found.residual <= tolerance);
  return {is_inexact ? SolveStatus::Stalled : status, std::move(found.z), found.residual,
          found.pivots, found.ridge};
}

/// Returns the x that minimizes |G x - b|. Columns of G that depend on others get 0.
VectorXd nearest_combination(const MatrixXd& G, const VectorXd& b) {
  RowFactor factor;
  factor.reset(G.rows());
  std::vector<Index> independent;
  for (Index k = 0; k < G.cols(); ++k) {
    if (factor.add(G.col(k), 0.0)) independent.push_back(k);
  }
  // G = Q L': the coordinates along Q, then those along the columns.
  VectorXd along = factor.basis().transpose() * b;
  factor.solve_transposed_factor(along);
  VectorXd x = VectorXd::Zero(G.cols());
  for (std::size_t k = 0; k < independent.size(); ++k) {
    x(independent[k]) = along(static_cast<Index>(k));
  }
  return x;
}

/// Returns the problem of a matrix M = G G' in factored form.
FactoredLcp factored(const LinearComplementarityProblem& problem) {
  const MatrixXd G = low_rank_root(problem.M);
  // What q has in the range of G is a velocity, which rounding is measured by.
  FactoredLcp result;
  result.start = nearest_combination(G, problem.q);
  result.offset = problem.q - G * result.start;
  result.rows = SparseRows(G);
  result.allowance = VectorXd::Zero(problem.q.size());
  return result;
}

ProgramAnswer by_modified_pivoting(const LinearComplementarityProblem& problem, double tolerance) {
  ModifiedPivoting method;
  FactoredLcpSolution found;
  method.solve(factored(problem), {}, {}, found);
  const double residual = measure_residual(problem, found.z);
  const bool is_inexact = found.status == SolveStatus::Converged && !(residual <= tolerance);
  return {is_inexact ? SolveStatus::Stalled : found.status, std::move(found.z), residual,
          found.pivots};
}

ProgramAnswer by_quadratic_program(const LinearComplementarityProblem& problem,
                                   const BoxQuadraticProgram& program, const std::string& method,
                                   double tolerance) {
  ProgramAnswer answer = solve_box_qp_by(program, method, tolerance);
  answer.residual = measure_residual(problem, answer.x);
  if (answer.status == SolveStatus::Converged && !(answer.residual <= tolerance)) {
    answer.status = SolveStatus::Stalled;
  }
  return answer;
}

/// Returns the quadratic program whose conditions are the problem.
/// @throws std::invalid_argument  naming the method where there is none.
BoxQuadraticProgram program_of(const LinearComplementarityProblem& problem,
                               const std::string& method) {
  const Index n = problem.q.size();
  BoxQuadraticProgram program{problem.M, problem.q, VectorXd::Zero(n),
                              VectorXd::Constant(n, std::numeric_limits<double>::infinity())};
  try {
    require_convex(program);
  } catch (const std::invalid_argument&) {
    throw std::invalid_argument(
        method + " needs a symmetric positive semidefinite M; lemke and lemke-plain take any");
  }
  return program;
}

}  // namespace

const std::vector<std::string>& lcp_method_names() {
  static const std::vector<std::string> names = {"lemke", "lemke-plain", "ppm", "block-pivoting",
                                                 "gradient-projection"};
  return names;
}

ProgramAnswer solve_lcp(const LinearComplementarityProblem& problem, const std::string& method,
                        double tolerance) {
  validate(problem);
  if (method == "lemke") return by_lemke(problem, tolerance);
  if (method == "lemke-plain") return by_plain_lemke(problem, tolerance);
  const bool is_pivoting = method == "ppm";
  if (!is_pivoting && method != "block-pivoting" && method != "gradient-projection") {
    throw UnknownNameError("there is no method '" + method + "'" +
                           name_advice(method, lcp_method_names()));
  }
  const BoxQuadraticProgram program = program_of(problem, method);
  return is_pivoting ? by_modified_pivoting(problem, tolerance)
                     : by_quadratic_program(problem, program, method, tolerance);
}

ProgramAnswer solve_mixed_lcp(const MixedComplementarityProblem& problem, const std::string& method,
                              double tolerance) {
  ProgramAnswer answer = solve_lcp(eliminate_free(problem), method, tolerance);
  answer.x = with_free_variables(problem, answer.x);
  answer.residual = std::max(answer.residual, measure_residual(problem, answer.x));
  if (answer.status == SolveStatus::Converged && !(answer.residual <= tolerance)) {
    answer.status = SolveStatus::Stalled;
  }
  return answer;
}

}  // namespace amontons
