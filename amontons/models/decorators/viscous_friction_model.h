#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/models/common/contact_model.h"

#include <memory>
#include <utility>

namespace amontons {

/// Returns true if viscous friction acts at any contact.
bool has_viscous_friction(const ContactProblem& problem);

/// Adds viscous friction to the law of a model of the catalog: all of it at the contacts that bear
/// a load in the step, none at those that stay open, and a share at those that touch without a load
/// (contact/certificate/contact_drag.h).
///
/// The problem is solved with shares of the drag, mostly zeros and ones, until they agree with the
/// loads that they produce (models/common/drag_share_search.h).
///
/// Where many articulations drag each other, continuation on the sparse matrix comes first
/// (models/formulation/drag_continuation.h).
///
/// A solution within the tolerance of the damped problem may miss it in the original one: strong
/// drag turns a small velocity into a large impulse. It is then solved again to more digits.
class ViscousFrictionModel : public ContactModel {
 public:
  /// @param tighter    the same model with a smaller tolerance.
  /// @param tolerance  tolerance of `model` [-].
  /// @param continues  true: continuation may solve islands in place of `model` (drag_attempt.h).
  ViscousFrictionModel(std::shared_ptr<const ContactModel> model,
                       std::shared_ptr<const ContactModel> tighter, double tolerance,
                       bool continues)
      : model_(std::move(model)),
        tighter_(std::move(tighter)),
        tolerance_(tolerance),
        continues_(continues) {}

  using ContactModel::solve;
  ContactSolution solve(const ContactProblem& problem, const ProblemScaling& scaling,
                        const Eigen::Ref<const Eigen::VectorXd>& warm_start) const override;

  CertifiedSolution solve_certified(const ContactProblem& problem, const ProblemScaling& scaling,
                                    const Eigen::VectorXd& warm_start, double tolerance,
                                    ModelMemory& memory) const override;
  ModelTraits traits() const override { return model_->traits(); }

 private:
  class Search;

  CertifiedSolution solve_and_certify(const ContactProblem& problem, const ProblemScaling& scaling,
                                      const Eigen::Ref<const Eigen::VectorXd>& warm_start) const;

  std::shared_ptr<const ContactModel> model_, tighter_;
  double tolerance_;
  bool continues_;
};

}  // namespace amontons
