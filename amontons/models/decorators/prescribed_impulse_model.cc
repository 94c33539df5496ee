#include "amontons/models/decorators/prescribed_impulse_model.h"

#include "amontons/models/common/solution_assembly.h"

#include <algorithm>

namespace amontons {

/// Returns the entry of a contact, or null; entries are sorted by key.
const PrescribedImpulseModel::Entry* PrescribedImpulseModel::find(const ContactKey& key) const {
  const auto it =
      std::lower_bound(entries_.begin(), entries_.end(), key,
                       [](const Entry& entry, const ContactKey& k) { return entry.key < k; });
  return it != entries_.end() && it->key == key ? &*it : nullptr;
}

/// Returns true if any contact of the problem has a prescribed impulse.
bool PrescribedImpulseModel::has_prescribed_impulses(const ContactProblem& problem) const {
  return std::any_of(problem.contacts.begin(), problem.contacts.end(),
                     [this](const Contact& contact) { return find(contact.key) != nullptr; });
}

/// Returns the solution with the prescribed impulses.
ContactSolution PrescribedImpulseModel::solution_of_prescribed(
    const ContactProblem& problem, const ProblemScaling& scaling) const {
  ContactSolution solution;
  solution.law.kind = law_;
  RestitutionSolution restitution;
  restitution.total.impulses = Eigen::VectorXd::Zero(problem.contact_jacobian.rows());
  restitution.bounces.assign(problem.num_contacts(), 0);
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    // Contacts without an entry carry nothing.
    const Entry* given = find(problem.contacts[i].key);
    if (given) restitution.total.impulses.segment<3>(ContactProblem::row(i)) = given->impulse;
  }
  write_solution(problem, scaling, nullptr, restitution, solution);
  solution.status = SolveStatus::Converged;
  SolveAttempt attempt;
  attempt.solver = "contact forces";
  attempt.status = SolveStatus::Converged;
  solution.attempts.push_back(attempt);
  // The integrator's forces include no bounded rows.
  solution.bounded_impulses = Eigen::VectorXd::Zero(problem.bounded_jacobian.rows());
  solution.bounded_modes.assign(problem.bounded_rows.size(), ContactMode::Open);
  return solution;
}

ContactSolution PrescribedImpulseModel::solve(
    const ContactProblem& problem, const ProblemScaling& scaling,
    const Eigen::Ref<const Eigen::VectorXd>& warm_start) const {
  return has_prescribed_impulses(problem) ? solution_of_prescribed(problem, scaling)
                                          : model_->solve(problem, scaling, warm_start);
}

CertifiedSolution PrescribedImpulseModel::solve_certified(const ContactProblem& problem,
                                                          const ProblemScaling& scaling,
                                                          const Eigen::VectorXd& warm_start,
                                                          double tolerance,
                                                          ModelMemory& memory) const {
  if (!has_prescribed_impulses(problem)) {
    return model_->solve_certified(problem, scaling, warm_start, tolerance, memory);
  }
  // Prescribed impulses are certified by the law they must obey, like any solution.
  CertifiedSolution certified;
  certified.solution = solution_of_prescribed(problem, scaling);
  certified.certificate = certify(problem, scaling, certified.solution, tolerance);
  if (certified.certificate.holds || !(acceptable_tolerance_ > tolerance)) return certified;
  // Where a slip ends, the integrator's state has its error, which the law then shows.
  CertifiedSolution nearly{certified.solution, {}};
  nearly.solution.law.within = acceptable_tolerance_;
  nearly.solution.status = SolveStatus::Acceptable;
  nearly.certificate = certify(problem, scaling, nearly.solution, tolerance);
  return nearly.certificate.holds ? nearly : certified;
}

}  // namespace amontons
