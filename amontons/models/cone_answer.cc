#include "amontons/models/cone_answer.h"

#include "amontons/models/cone_assembly.h"
#include "amontons/models/step_answer.h"
#include "amontons/optimization/cone_ladder.h"

namespace amontons {

RestitutionAnswer solve_in_cones(const ConeQuestion& question, const ContactSpace* space,
                                 ConeWorkspace& work, ContactSolution& solution) {
  const auto& [problem, metric, law, settings, may_bounce, warm_start] = question;
  ConeAssembly assembly(problem, metric, space, law);
  const double tolerance = kSolverMargin * settings.tolerance;
  const double energy_tolerance =
      kSolverMargin * 1e-10 * (1.0 + 0.5 * problem.free_velocity.dot(metric.free_momentum));
  const auto solve_phase = [&](const ContactPhase& phase) {
    const ConeProblem& cones = assembly.phase(phase, tolerance, energy_tolerance);
    ConeIterate iterate;
    const bool warm = phase.guess.size() > 0;
    if (warm) iterate.r = assembly.to_reactions(phase.guess);
    std::vector<ConeAttempt> attempts;
    PhaseAnswer answer;
    answer.status =
        solve_cone_problem(cones, {.tolerance = tolerance, .warm = warm}, work, iterate, attempts);
    answer.impulses = assembly.to_impulses(iterate.r);
    answer.iterations = append_attempts(attempts, solution.attempts);
    solution.iterations += answer.iterations;
    return answer;
  };
  ContactPhase phase = plain_phase(metric);
  phase.guess = warm_start;
  return solve_with_restitution(problem, metric, phase, may_bounce, settings.restitution,
                                settings.tolerance, solve_phase);
}

}  // namespace amontons
