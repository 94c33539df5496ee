#pragma once

#include "amontons/models/common/contact_model.h"

namespace amontons {

/// Implements `lemke-plain`: the complementarity problem of `anitescu-hart` for a whole island, all
/// contacts at once, by the Lemke routine that the papers used, with Tikhonov retries
/// (plain_lemke.h). It is a baseline for comparisons and not listed among the models. It has no
/// working sets, no warm start, no fallback and no restitution. An answer within the routine's own
/// tolerance of 1e-5 but not that of the settings ends as Stalled. Where none is within 1e-5 the
/// status is NumericalFailure, with the impulses of the best one. The certificate judges them all.
class PlainLemkeModel : public ContactModel {
 public:
  /// @throws std::invalid_argument if a setting is out of range.
  explicit PlainLemkeModel(const ModelSettings& settings);

  using ContactModel::solve;
  /// @throws std::invalid_argument if a contact has a restitution above zero.
  ContactSolution solve(const ContactProblem& problem, const ProblemScaling& scaling,
                        const Eigen::Ref<const Eigen::VectorXd>& warm_start) const override;

  ModelTraits traits() const override { return {.law = law()}; }

 private:
  ContactLaw law() const {
    return {LawKind::Pyramid, settings_.friction_directions.value_or(4),
            settings_.restitution_of_steps()};
  }

  ModelSettings settings_;
};

}  // namespace amontons
