#include "amontons/models/formulation/lcp_attempts.h"

#include "amontons/contact/marks.h"
#include "amontons/math/stopwatch.h"
#include "amontons/models/common/restitution_share.h"

#include <algorithm>

namespace amontons {

RestitutionSolution LcpAttempts::by_lemke(const char* name, const PolyhedralProblem& problem,
                                          const WorkingSetOptions& options) {
  return in_phases(name, problem, options.guess, [&](const ContactPhase& phase) {
    // Each phase of restitution has its own gaps, given impulses and friction loads.
    PolyhedralProblem part = problem;
    part.space = space();
    part.gap_speeds = phase.gap_speeds;
    part.given_impulses = phase.given_impulses;
    part.given_load = phase.given_load;
    part.friction_offset = phase.friction_offset;
    const PolyhedralSolution polyhedral = solve_by_working_set(
        part, {phase.guess, phase.guess.size() > 0, options.reversed, options.max_pivots});
    return PhaseSolution{polyhedral.status, polyhedral.impulses, polyhedral.pivots};
  });
}

RestitutionSolution LcpAttempts::by_pivoting(const char* name, const PolyhedralProblem& problem,
                                             const Eigen::VectorXd& guess) {
  // The rows of the normals depend on the problem alone and serve every phase.
  if (!normals_) normals_.emplace(problem_, scaling_, problem.active, settings_.tolerance);
  return in_phases(name, problem, guess,
                   [&](const ContactPhase& phase) { return normals_->solve(phase); });
}

RestitutionSolution LcpAttempts::in_phases(const char* name, const PolyhedralProblem& problem,
                                           const Eigen::VectorXd& guess,
                                           const PhaseSolver& solve_phase) {
  // Restitution calls the solver once per phase and per contact that joins.
  const Stopwatch watch;
  ContactPhase phase = plain_phase(problem_, scaling_);
  phase.gap_speeds = problem.gap_speeds;
  phase.guess = guess;
  RestitutionSolution result =
      solve_without_energy_gain(problem_, scaling_, space_of_joints(), phase, may_bounce_,
                                settings_.restitution_of_steps(), settings_.tolerance, solve_phase);
  solution_.attempts.push_back(
      {name, result.total.status, result.total.iterations, watch.seconds(), {}});
  solution_.iterations += result.total.iterations;
  return result;
}

RestitutionSolution LcpAttempts::by_cone_solvers(const Eigen::VectorXd& warm_start) {
  return solve_in_cones({problem_, scaling_, solution_.law, settings_, may_bounce_, warm_start},
                        space(), cone_memory_, solution_);
}

bool LcpAttempts::may_anything_bounce() const { return any_marked(may_bounce_); }

void LcpAttempts::let_nothing_bounce() { std::fill(may_bounce_.begin(), may_bounce_.end(), 0); }

const ContactSpace* LcpAttempts::space() {
  if (!space_) space_.emplace(problem_, scaling_);
  return &*space_;
}

const ContactSpace* LcpAttempts::space_of_joints() {
  return problem_.joint_jacobian.rows() > 0 ? space() : nullptr;
}

}  // namespace amontons
