#include "amontons/models/common/certifying_model.h"

namespace amontons {

ContactSolution CertifyingModel::solve(const ContactProblem& problem, const ProblemScaling& scaling,
                                       const Eigen::Ref<const Eigen::VectorXd>& warm_start) const {
  return solve_and_certify(problem, scaling, warm_start, *make_memory()).solution;
}

CertifiedSolution CertifyingModel::solve_certified(const ContactProblem& problem,
                                                   const ProblemScaling& scaling,
                                                   const Eigen::VectorXd& warm_start,
                                                   double tolerance, ModelMemory& memory) const {
  CertifiedSolution certified = solve_and_certify(problem, scaling, warm_start, memory);
  // The certificate depends on the tolerance through loaded contacts and `holds`.
  if (tolerance != settings_.tolerance) {
    certified.certificate = certify(problem, scaling, certified.solution, tolerance);
  }
  return certified;
}

}  // namespace amontons
