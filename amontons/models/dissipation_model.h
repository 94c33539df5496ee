#pragma once

#include "amontons/models/common/contact_model.h"

namespace amontons {

/// Implements `maximum-dissipation`: the convex model [Drumwright, Shell 2010] on the round cone,
/// as contact/certificate/dissipation_residual.h states it. The bounds of Coulomb's and viscous
/// friction are added. The page docs/theory/maximum-dissipation.md explains the law and its
/// departures from print.
///
/// Phase I finds the normal impulses without friction and their sum kappa. Phase II finds the
/// impulses that leave the least kinetic energy, with no larger sum. Phase III is restitution by
/// Newton's or Poisson's law (models/common/restitution.h), after which phases I and II are
/// repeated. The law is not Coulomb's: friction that would raise the normal load is missing. A rod
/// dragged into its contact slides freely, and a pyramid of discs collapses. A contact may carry an
/// impulse and separate.
///
/// With the setting `literal_viscous_bound` the law is the printed one, |x_t|^2 <= (mu x_n)^2 + (h
/// mu_v |b_t|)^2. That set is convex where mu or mu_v |b_t| is zero, and there it is the additive
/// bound's. Elsewhere the additive bound is its convex hull. A solution that keeps the printed
/// bound (a contact that sticks) then satisfies the printed law too.
///
/// With the setting `impulse_cap: system` kappa bounds the sum of all contacts, as printed; the
/// caller gives the contacts of all islands as one problem (islands_of_law()). What friction saves
/// in one island may then raise the normal impulses of another.
///
/// The solution has one of these statuses:
///
/// - Converged: the optimality conditions hold, certified. Where the whole of e would add kinetic
///   energy, a smaller share is given back. The witness and the remark of the last attempt state
///   it.
/// - Convexified: the literal bound was asked, is not convex at some contact, and the solution
///   passes it there. The additive bound holds, certified as such; the remark names the contact.
/// - Safe: phase II was not solved; phase I alone, without Coulomb friction (viscous friction as
///   under the other models).
/// - Infeasible, Stalled, NumericalFailure: as `frictionless` says (lcp_models.h).
class DissipationModel : public ContactModel {
 public:
  /// @throws std::invalid_argument if a setting is out of range, or for restitution law Stronge.
  explicit DissipationModel(const ModelSettings& settings);

  using ContactModel::solve;
  ContactSolution solve(const ContactProblem& problem, const ProblemScaling& scaling,
                        const Eigen::Ref<const Eigen::VectorXd>& warm_start) const override;

  ModelTraits traits() const override;

 private:
  ModelSettings settings_;
};

}  // namespace amontons
