#include "amontons/models/lcp_method_model.h"

#include "amontons/contact/operators/contact_space.h"
#include "amontons/math/stopwatch.h"
#include "amontons/models/common/solution_assembly.h"
#include "amontons/models/formulation/step_lcp.h"
#include "amontons/optimization/programs/lcp_methods.h"

#include <cmath>
#include <stdexcept>
#include <utility>

namespace amontons {

LcpMethodModel::LcpMethodModel(std::string method, LawKind law, const ModelSettings& settings)
    : method_(std::move(method)), law_(law), settings_(settings) {
  check_settings(settings);
}

ContactSolution LcpMethodModel::solve(const ContactProblem& problem, const ProblemScaling& scaling,
                                      const Eigen::Ref<const Eigen::VectorXd>&) const {
  ContactSolution solution;
  solution.law = law();
  // All contacts at once, in one dense problem.
  const ContactSpace space(problem, scaling);
  const Stopwatch stopwatch;
  StepLcp lcp;
  try {
    lcp = step_lcp(problem, scaling, space, solution.law);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(method_ + ": " + error.what());
  }
  const ProgramAnswer found = solve_lcp(lcp.friction.lcp, method_, settings_.tolerance);
  SolveAttempt attempt{method_, found.status, found.iterations, stopwatch.seconds(), {}};
  // A ridge that was needed is named.
  if (found.ridge > 0.0) {
    attempt.remark = "on M + 1e" + std::to_string(std::lround(std::log10(found.ridge))) + " I";
  }
  solution.attempts.push_back(attempt);
  solution.iterations = found.iterations;

  // What the method found is kept, however far from a solution.
  RestitutionSolution restitution;
  restitution.total.impulses = step_impulses(problem, lcp, found.x);
  restitution.bounces.assign(problem.num_contacts(), 0);
  write_solution(problem, scaling, &space, restitution, solution);
  const bool is_answer =
      found.status == SolveStatus::Converged || found.status == SolveStatus::Stalled;
  solution.status = is_answer ? found.status : SolveStatus::NumericalFailure;
  return solution;
}

}  // namespace amontons
