#pragma once

#include "amontons/models/common/contact_model.h"

namespace amontons {

/// A model that asks the judge for its own tolerance on the way and hands the certificate on.
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

  /// The answer, judged to the tolerance of the settings.
  virtual CertifiedSolution solve_and_certify(const ContactProblem& problem,
                                              const ProblemScaling& scaling,
                                              const Eigen::Ref<const Eigen::VectorXd>& warm_start,
                                              ModelMemory& memory) const = 0;

  ModelSettings settings_;
};

}  // namespace amontons
