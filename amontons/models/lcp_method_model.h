#pragma once

#include "amontons/models/common/contact_model.h"

#include <string>

namespace amontons {

/// Implements a law by one method of linear complementarity problems alone: `lemke` and
/// `lemke-plain` the friction pyramid, `ppm`, `block-pivoting` and `gradient-projection` the normal
/// impulses without friction (optimization/programs/lcp_methods.h). The problem is that of
/// `anitescu-hart` for a whole island, all contacts at once.
///
/// They serve to compare methods and are not listed among the models. They have no working sets, no
/// warm start and no fallback. An answer within the method's own tolerance but not that of the
/// settings ends as Stalled. Where the method fails the status is NumericalFailure, with the
/// impulses that it has; so it is, without impulses, where dry friction of a joint makes a matrix
/// that the method does not take. The certificate judges them all.
class LcpMethodModel : public ContactModel {
 public:
  /// @param method  one of lcp_method_names().
  /// @param law     Pyramid or Frictionless.
  /// @throws std::invalid_argument if a setting is out of range.
  LcpMethodModel(std::string method, LawKind law, const ModelSettings& settings);

  using ContactModel::solve;
  ContactSolution solve(const ContactProblem& problem, const ProblemScaling& scaling,
                        const Eigen::Ref<const Eigen::VectorXd>& warm_start) const override;

  ModelTraits traits() const override { return {.law = law()}; }

 private:
  ContactLaw law() const {
    const int directions = has_polygon(law_) ? settings_.friction_directions.value_or(4) : 4;
    return {law_, directions, settings_.restitution_of_steps()};
  }

  std::string method_;
  LawKind law_;
  ModelSettings settings_;
};

}  // namespace amontons
