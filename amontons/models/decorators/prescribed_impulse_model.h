#pragma once

#include "amontons/models/common/contact_model.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Takes prescribed impulses where an integrator has found the forces behind them, and certifies
/// them. It leaves islands without any to another model.
class PrescribedImpulseModel final : public ContactModel {
 public:
  /// Holds the prescribed impulse of one contact.
  struct Entry {
    ContactKey key;
    Eigen::Vector3d impulse = Eigen::Vector3d::Zero();  ///< on B, frame (t1, t2, n) [N s]
  };

  /// @param model  model of the other islands; it must outlive this one.
  /// @param law    law that the impulses must obey.
  /// @param acceptable_tolerance  those that miss the law by no more are Acceptable.
  PrescribedImpulseModel(const ContactModel& model, LawKind law, double acceptable_tolerance)
      : model_(&model), law_(law), acceptable_tolerance_(acceptable_tolerance) {}

  /// Sets the prescribed impulses, which replace those of the last call.
  /// @param entries  impulses sorted by key.
  void set_impulses(std::vector<Entry> entries) { entries_ = std::move(entries); }

  using ContactModel::solve;
  ContactSolution solve(const ContactProblem& problem, const ProblemScaling& scaling,
                        const Eigen::Ref<const Eigen::VectorXd>& warm_start) const override;
  CertifiedSolution solve_certified(const ContactProblem& problem, const ProblemScaling& scaling,
                                    const Eigen::VectorXd& warm_start, double tolerance,
                                    ModelMemory& memory) const override;
  std::unique_ptr<ModelMemory> make_memory() const override { return model_->make_memory(); }
  ModelTraits traits() const override { return model_->traits(); }

 private:
  const Entry* find(const ContactKey& key) const;
  bool has_prescribed_impulses(const ContactProblem& problem) const;
  ContactSolution solution_of_prescribed(const ContactProblem& problem,
                                         const ProblemScaling& scaling) const;

  const ContactModel* model_;
  LawKind law_;
  double acceptable_tolerance_;
  std::vector<Entry> entries_;
};

}  // namespace amontons
