#pragma once

#include "amontons/contact/certificate/contact_space_problem.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/models/common/contact_space_solution.h"

#include <memory>
#include <utility>

namespace amontons {

/// Of all reactions that give the velocity of an answer and satisfy the law it claims there
/// (reaction_face.h), those of least sum w_i |p_i|^2, w_i = trace(A_ii)/3 (contact_scales.h): the
/// norm is an energy and the same in any units and tangent axes. They are unique, hence as
/// symmetric as the problem, and do not depend on the order of contacts or where a solver started.
///
/// Kept if the certificate agrees, else the answer stays as it is; the last attempt, `minimum
/// norm`, says which. It stays, too, where reactions are not a choice of single contacts: under
/// maximum dissipation and Poisson restitution. Status, law and velocity (to rounding) stay.
/// @returns whether the answer now has the least norm.
bool write_minimum_norm(const ContactProblem& problem, const ProblemScaling& scaling,
                        double tolerance, ContactSolution& solution);

/// The same of a problem without bodies.
bool write_minimum_norm(const ContactSpaceProblem& problem, double tolerance,
                        ContactSpaceSolution& solution);

/// A model of the catalog whose reactions are those of least norm.
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
