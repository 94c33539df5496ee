#include "amontons/models/bounded_row_model.h"

#include "amontons/contact/bounded_row_certificate.h"
#include "amontons/contact/rows_as_contacts.h"
#include "amontons/models/bounded_row_answer.h"

namespace amontons {
namespace {

class BoundedRowMemory : public ModelMemory {
 public:
  explicit BoundedRowMemory(std::unique_ptr<ModelMemory> inner) : model(std::move(inner)) {}

  std::unique_ptr<ModelMemory> model;
  BoundedRowSolver rows;
};

/// Of contacts and rows as that of contacts alone.
Eigen::VectorXd warm_start_of(const ContactProblem& problem, const Eigen::VectorXd& warm_start) {
  if (warm_start.size() == 0) return {};
  ContactSolution last;
  last.impulses = warm_start.head(problem.contact_jacobian.rows());
  last.bounded_impulses = warm_start.tail(problem.bounded_jacobian.rows());
  last.bounded_modes.resize(problem.bounded_rows.size());
  last.velocity.setZero(problem.mass_matrix.size());
  return rows_as_contacts(problem, last).impulses;
}

}  // namespace

ContactSolution BoundedRowModel::solve(const ContactProblem& problem, const ProblemMetric& metric,
                                       const Eigen::Ref<const Eigen::VectorXd>& warm_start) const {
  if (problem.bounded_rows.empty()) return model_->solve(problem, metric, warm_start);
  const std::unique_ptr<ModelMemory> memory = make_memory();
  return solve_certified(problem, metric, warm_start, tolerance_, *memory).solution;
}

CertifiedSolution BoundedRowModel::solve_certified(const ContactProblem& problem,
                                                   const ProblemMetric& metric,
                                                   const Eigen::VectorXd& warm_start,
                                                   double tolerance, ModelMemory& memory) const {
  BoundedRowMemory& own = dynamic_cast<BoundedRowMemory&>(memory);
  if (problem.bounded_rows.empty()) {
    return model_->solve_certified(problem, metric, warm_start, tolerance, *own.model);
  }
  CertifiedSolution answer;
  if (own.rows.solve(problem, metric, law_, warm_start, answer.solution)) {
    answer.certificate = certify_bounded_rows(problem, metric, answer.solution, tolerance);
    if (answer.certificate.claimed) return answer;
  }
  const std::vector<SolveAttempt> tried = answer.solution.attempts;
  const ContactProblem contacts = rows_as_contacts(problem);
  answer.solution = contacts_as_rows(problem, model_->solve(contacts, ProblemMetric(contacts),
                                                            warm_start_of(problem, warm_start)));
  answer.solution.attempts.insert(answer.solution.attempts.begin(), tried.begin(), tried.end());
  answer.certificate = certify(problem, metric, answer.solution, tolerance);
  return answer;
}

std::unique_ptr<ModelMemory> BoundedRowModel::make_memory() const {
  return std::make_unique<BoundedRowMemory>(model_->make_memory());
}

}  // namespace amontons
