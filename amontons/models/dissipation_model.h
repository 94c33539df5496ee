#pragma once

#include "amontons/models/common/contact_model.h"

namespace amontons {

/// `maximum-dissipation`: the convex model [Drumwright, Shell 2010] on the round cone, as
/// contact/certificate/dissipation_residual.h states it, with Coulomb's and viscous friction added
/// up.
///
/// Phase I finds the normal impulses without friction and their sum kappa; phase II the impulses
/// that leave the least kinetic energy, with no larger sum; phase III is restitution by Newton's or
/// Poisson's law (models/common/restitution.h), after which phases I and II are repeated. It is not
/// Coulomb's law: friction that would raise the normal load is missing (a rod dragged into its
/// contact slides freely, a pyramid of discs collapses), and a contact may carry an impulse and
/// separate.
///
/// With the setting `literal_viscous_bound` the law is the one printed, |x_t|^2 <= (mu x_n)^2 +
/// (h mu_v |b_t|)^2. That set is convex where mu or mu_v |b_t| is zero, and there it is the
/// additive bound's; elsewhere the additive bound is its convex hull, so that the answer is the
/// printed law's too wherever it keeps it (a contact that sticks).
///
/// The answer and its status:
///
/// - Converged: the optimality conditions hold, certified. Where the whole of e would add kinetic
///   energy, a smaller share is given back; the witness and the remark of the last attempt say
///   which.
/// - Convexified: the literal bound was asked, is not convex at some contact, and the answer passes
///   it there: that of the additive bound, certified as such; the remark names the contact.
/// - Safe: phase II was not solved; phase I alone, without Coulomb friction
///   (viscous friction as under the other models).
/// - Infeasible, Stalled, NumericalFailure: as `frictionless` says (lcp_models.h).
class DissipationModel : public ContactModel {
 public:
  /// @throws std::invalid_argument if a setting is out of range, or for restitution law Stronge.
  explicit DissipationModel(const ModelSettings& settings);

  using ContactModel::solve;
  ContactSolution solve(const ContactProblem& problem, const ProblemScaling& scaling,
                        const Eigen::Ref<const Eigen::VectorXd>& warm_start) const override;

 private:
  ModelSettings settings_;
};

}  // namespace amontons
