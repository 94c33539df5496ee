#include "amontons/models/decorators/bounded_row_model.h"

#include "amontons/contact/certificate/bounded_row_certificate.h"
#include "amontons/contact/certificate/certificate_workspace.h"
#include "amontons/contact/operators/damped_step.h"
#include "amontons/contact/rows_as_contacts.h"
#include "amontons/models/decorators/bounded_row_solver.h"

namespace amontons {
namespace {

using Eigen::Index;

/// Holds the working memory of the rows and of the model that they decorate.
class BoundedRowMemory : public ModelMemory {
 public:
  explicit BoundedRowMemory(std::unique_ptr<ModelMemory> inner) : model(std::move(inner)) {}

  std::unique_ptr<ModelMemory> model;
  BoundedRowSolver rows;
  ContactProblem contacts;  // the problem with rows as contacts
  ContactProblem dragged;   // the same before viscous friction became part of M
  DampedStep damped;        // refers to `dragged`
  ProblemScaling scaling;   // scaling of that problem
  CertificateWorkspace certificate;
};

/// Returns the warm start of contacts and rows in the form of contacts alone.
Eigen::VectorXd warm_start_of(const ContactProblem& problem, const Eigen::VectorXd& warm_start) {
  if (warm_start.size() == 0) return {};
  const Index nc = problem.contact_jacobian.rows();
  const Index nb = static_cast<Index>(problem.bounded_rows.size());
  Eigen::VectorXd result = Eigen::VectorXd::Zero(nc + 3 * nb);
  result.head(nc) = warm_start.head(nc);
  Index place = nc;
  for (Index i = 0; i < nb; ++i) {
    const BoundedRow& row = problem.bounded_rows[static_cast<std::size_t>(i)];
    if (row.is_unbounded()) continue;
    result(place + component_of(row)) = warm_start(nc + i);
    place += 3;
  }
  result.conservativeResize(place);
  return result;
}

/// Returns true if a solution in the form of contacts contains nothing that the rows cannot
/// express. The certificate found there is then that of the solution itself.
bool belongs_to_rows(const ContactProblem& problem, const ContactSolution& rows,
                     const ContactSolution& contacts) {
  const ContactSolution again = rows_as_contacts(problem, rows);
  return problem.num_contacts() > 0 && again.impulses == contacts.impulses &&
         again.compression_impulses.size() == contacts.compression_impulses.size() &&
         again.compression_impulses == contacts.compression_impulses &&
         again.velocity == contacts.velocity;
}

}  // namespace

ContactSolution BoundedRowModel::solve(const ContactProblem& problem, const ProblemScaling& scaling,
                                       const Eigen::Ref<const Eigen::VectorXd>& warm_start) const {
  const std::unique_ptr<ModelMemory> memory = make_memory();
  return solve_certified(problem, scaling, warm_start, tolerance_, *memory).solution;
}

CertifiedSolution BoundedRowModel::solve_certified(const ContactProblem& problem,
                                                   const ProblemScaling& scaling,
                                                   const Eigen::VectorXd& warm_start,
                                                   double tolerance, ModelMemory& memory) const {
  BoundedRowMemory& own = dynamic_cast<BoundedRowMemory&>(memory);
  // Rows alone are a box problem; its solution counts only if its certificate holds.
  CertifiedSolution certified;
  certified.solution = std::move(own.spare);
  certified.solution.reset();
  if (own.rows.solve(problem, scaling, law_, warm_start, certified.solution)) {
    certified.certificate =
        certify_bounded_rows(problem, scaling, certified.solution, tolerance, own.certificate);
    if (certified.certificate.holds) return certified;
  }
  // Otherwise the rows become contacts of the model's own problem.
  const std::vector<SolveAttempt> tried = certified.solution.attempts;
  own.model->spare = std::move(certified.solution);
  rows_as_contacts(problem, own.contacts);
  own.scaling.compute(own.contacts, problem, scaling);
  if (scaling.damped != nullptr) {
    rows_as_contacts(*scaling.damped->problem, own.dragged);
    own.damped = *scaling.damped;
    own.damped.problem = &own.dragged;
    if (!own.damped.bounces.empty()) own.damped.bounces.resize(own.dragged.num_contacts(), 0);
    own.scaling.add_drag(own.damped, ProblemScaling(own.dragged));
  }
  const CertifiedSolution found = model_->solve_certified(
      own.contacts, own.scaling, warm_start_of(problem, warm_start), tolerance, *own.model);
  // Back to rows, with the attempts on the box problem first.
  certified.solution = contacts_as_rows(problem, found.solution);
  certified.solution.attempts.insert(certified.solution.attempts.begin(), tried.begin(),
                                     tried.end());
  certified.certificate =
      belongs_to_rows(problem, certified.solution, found.solution)
          ? found.certificate
          : certify(problem, scaling, certified.solution, tolerance, own.certificate);
  return certified;
}

std::unique_ptr<ModelMemory> BoundedRowModel::make_memory() const {
  return std::make_unique<BoundedRowMemory>(model_->make_memory());
}

}  // namespace amontons
