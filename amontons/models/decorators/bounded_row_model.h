#pragma once

#include "amontons/models/common/contact_model.h"

#include <memory>
#include <utility>

namespace amontons {

/// Adds joint limits, dry joint friction and effort bounds of servos to a model of the catalog:
///
/// - an island of bounded rows alone (an arm in the air) is a box problem in them, solved directly
///   and exactly; the law of the rows is the same under every model;
/// - with contacts, or where a limit bounces, the rows take the form of contacts
///   (rows_as_contacts.h), of which the model then has more. Under maximum dissipation the rows
///   keep their law beside phases I and II (dissipation_row_sides.h). Every model keeps joint
///   friction, also `frictionless` and the fallback without contact friction: it is no contact's.
///
/// It is called for problems with bounded rows only (DecoratedModel).
class BoundedRowModel : public ContactModel {
 public:
  /// @param model      its law is what a solution without contacts claims.
  /// @param tolerance  bound of the certificate's residuals [-].
  BoundedRowModel(std::shared_ptr<const ContactModel> model, double tolerance)
      : model_(std::move(model)), law_(model_->traits().law), tolerance_(tolerance) {}

  using ContactModel::solve;
  ContactSolution solve(const ContactProblem& problem, const ProblemScaling& scaling,
                        const Eigen::Ref<const Eigen::VectorXd>& warm_start) const override;

  CertifiedSolution solve_certified(const ContactProblem& problem, const ProblemScaling& scaling,
                                    const Eigen::VectorXd& warm_start, double tolerance,
                                    ModelMemory& memory) const override;
  std::unique_ptr<ModelMemory> make_memory() const override;

  ModelTraits traits() const override { return model_->traits(); }

 private:
  std::shared_ptr<const ContactModel> model_;
  ContactLaw law_;
  double tolerance_;
};

}  // namespace amontons
