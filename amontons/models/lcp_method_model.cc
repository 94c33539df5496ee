#include "amontons/models/lcp_method_model.h"

#include "amontons/contact/operators/contact_space.h"
#include "amontons/math/stopwatch.h"
#include "amontons/models/common/restitution_share.h"
#include "amontons/models/common/solution_assembly.h"
#include "amontons/models/formulation/step_lcp.h"
#include "amontons/optimization/programs/lcp_methods.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
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
  // All contacts at once, in one dense problem for each phase of restitution.
  const ContactSpace space(problem, scaling);
  const Stopwatch stopwatch;
  double ridge = 0.0;
  std::string remark;
  const auto solve_phase = [&](const ContactPhase& phase) -> PhaseSolution {
    const StepLcp lcp = step_lcp(problem, scaling, space, solution.law, phase);
    ProgramAnswer found;
    try {
      found = solve_lcp(lcp.friction.lcp, method_, settings_.tolerance);
    } catch (const std::invalid_argument& error) {
      // Dry friction of a joint makes the matrix one that not all methods take.
      remark = error.what();
      return {SolveStatus::NumericalFailure, Eigen::VectorXd::Zero(3 * phase.gap_speeds.size())};
    }
    ridge = std::max(ridge, found.ridge);
    // What the method found is kept, however far from a solution.
    return {found.status, step_impulses(problem, lcp, found.x), found.iterations};
  };
  const RestitutionSolution restitution = solve_without_energy_gain(
      problem, scaling, &space, plain_phase(problem, scaling), scaling.may_bounce,
      settings_.restitution_of_steps(), settings_.tolerance, solve_phase);
  const SolveStatus status = restitution.total.status;
  SolveAttempt attempt{method_, status, restitution.total.iterations, stopwatch.seconds(), remark};
  // A ridge that was needed is named.
  if (ridge > 0.0) {
    attempt.remark = "on M + 1e" + std::to_string(std::lround(std::log10(ridge))) + " I";
  }
  solution.attempts.push_back(attempt);
  solution.iterations = restitution.total.iterations;
  write_solution(problem, scaling, &space, restitution, solution);
  const bool is_answer = status == SolveStatus::Converged || status == SolveStatus::Stalled;
  solution.status = is_answer ? status : SolveStatus::NumericalFailure;
  return solution;
}

}  // namespace amontons
