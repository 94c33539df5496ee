#pragma once

#include "amontons/contact/certificate/contact_space_problem.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/models/common/contact_space_solution.h"

#include <memory>
#include <utility>

namespace amontons {

/// Replaces the reactions of a solution by those of least sum w_i |p_i|^2, w_i = trace(A_ii)/3
/// (contact_scales.h). The choice is among all reactions that give its velocity and satisfy the law
/// it claims there (reaction_face.h). The norm is an energy and the same in any units and tangent
/// axes. The result is unique, hence as symmetric as the problem. It does not depend on the order
/// of contacts or on where a solver started.
///
/// The new reactions are kept if the certificate holds, else the old ones are; the last attempt,
/// `minimum norm`, says which. The old ones are also kept where reactions are not a choice of
/// single contacts: under maximum dissipation and Poisson restitution. Status, law and velocity (to
/// rounding) do not change.
/// @returns true if the solution now has the least norm.
bool write_minimum_norm(const ContactProblem& problem, const ProblemScaling& scaling,
                        double tolerance, ContactSolution& solution);

/// Does the same for a problem without bodies.
bool write_minimum_norm(const ContactSpaceProblem& problem, double tolerance,
                        ContactSpaceSolution& solution);

/// Selects the reactions of least norm for a model of the catalog.
class MinimumNormModel : public ContactModel {
 public:
  MinimumNormModel(std::shared_ptr<const ContactModel> model, double tolerance)
      : model_(std::move(model)), tolerance_(tolerance) {}

  using ContactModel::solve;
  ContactSolution solve(const ContactProblem& problem, const ProblemScaling& scaling,
                        const Eigen::Ref<const Eigen::VectorXd>& warm_start) const override;

  ModelTraits traits() const override { return model_->traits(); }

 private:
  std::shared_ptr<const ContactModel> model_;
  double tolerance_;
};

}  // namespace amontons
