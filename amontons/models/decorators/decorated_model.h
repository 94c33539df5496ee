#pragma once

#include "amontons/models/common/contact_model.h"

#include <memory>

namespace amontons {

/// Holds a model of the catalog with its decorators, and calls for each problem only those that it
/// needs. Joints' rows are added where there are rows, viscous friction where it acts. A problem
/// without either reaches the model itself.
class DecoratedModel final : public ContactModel {
 public:
  /// @param plain      the model itself, for problems of contacts alone.
  /// @param with_rows  the same with bounded rows (BoundedRowModel).
  /// @param with_drag  the same with viscous friction (ViscousFrictionModel), or null where the
  ///                   model's own law contains it.
  DecoratedModel(std::shared_ptr<const ContactModel> plain,
                 std::shared_ptr<const ContactModel> with_rows,
                 std::shared_ptr<const ContactModel> with_drag);

  using ContactModel::solve;
  ContactSolution solve(const ContactProblem& problem, const ProblemScaling& scaling,
                        const Eigen::Ref<const Eigen::VectorXd>& warm_start) const override;

  CertifiedSolution solve_certified(const ContactProblem& problem, const ProblemScaling& scaling,
                                    const Eigen::VectorXd& warm_start, double tolerance,
                                    ModelMemory& memory) const override;
  std::unique_ptr<ModelMemory> make_memory() const override;

  ModelTraits traits() const override { return plain_->traits(); }

 private:
  bool needs_drag(const ContactProblem& problem) const;

  std::shared_ptr<const ContactModel> plain_, with_rows_, with_drag_;
};

}  // namespace amontons
