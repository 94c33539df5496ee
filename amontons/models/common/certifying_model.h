#pragma once

#include "amontons/models/common/contact_model.h"

namespace amontons {

/// Implements a model that computes the certificate for its own tolerance while it solves, and
/// returns it with the solution.
class CertifyingModel : public ContactModel {
 public:
  using ContactModel::solve;
  ContactSolution solve(const ContactProblem& problem, const ProblemScaling& scaling,
                        const Eigen::Ref<const Eigen::VectorXd>& warm_start) const final;
  CertifiedSolution solve_certified(const ContactProblem& problem, const ProblemScaling& scaling,
                                    const Eigen::VectorXd& warm_start, double tolerance,
                                    ModelMemory& memory) const final;

 protected:
  explicit CertifyingModel(const ModelSettings& settings) : settings_(settings) {}

  /// Returns the solution, certified to the tolerance of the settings.
  virtual CertifiedSolution solve_and_certify(const ContactProblem& problem,
                                              const ProblemScaling& scaling,
                                              const Eigen::Ref<const Eigen::VectorXd>& warm_start,
                                              ModelMemory& memory) const = 0;

  ModelSettings settings_;
};

}  // namespace amontons
