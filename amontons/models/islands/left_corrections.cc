#include "amontons/models/islands/left_corrections.h"

#include "amontons/contact/certificate/certificate.h"

#include <utility>

namespace amontons {
namespace {

/// Returns true if the answer is one of its problem: of the law asked, or of a weaker one.
bool is_answer(const CertifiedSolution& certified) {
  return certified.certificate.holds && certified.solution.velocity.allFinite();
}

}  // namespace

void leave_corrections(const ContactModel& model, const ContactProblem& problem,
                       const Eigen::VectorXd& warm_start, double tolerance, ModelMemory& memory,
                       ProblemScaling& scaling, CertifiedSolution& certified) {
  if (certified.solution.status != SolveStatus::Infeasible || problem.step == 0.0) return;
  // Overlaps stay, then errors of loops as well.
  ContactProblem calm = problem;
  calm.overlap_speed = 0.0;
  scaling.compute(calm);
  CertifiedSolution answer = model.solve_certified(calm, scaling, warm_start, tolerance, memory);
  if (!is_answer(answer) && problem.joint_error.size() > 0) {
    calm.joint_correction = Eigen::VectorXd::Zero(problem.joint_error.size());
    scaling.compute(calm);
    answer = model.solve_certified(calm, scaling, warm_start, tolerance, memory);
  }
  scaling.compute(problem);
  if (!is_answer(answer)) return;

  // The report keeps what was tried, and the reason.
  ContactSolution solution = std::move(answer.solution);
  solution.status = SolveStatus::Infeasible;
  solution.iterations += certified.solution.iterations;
  solution.attempts.insert(solution.attempts.begin(), certified.solution.attempts.begin(),
                           certified.solution.attempts.end());
  certified.certificate = certify(problem, scaling, solution, tolerance);
  certified.certificate.require(false);
  certified.solution = std::move(solution);
}

}  // namespace amontons
