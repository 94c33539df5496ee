#pragma once

#include "amontons/models/common/certifying_model.h"

namespace amontons {

/// Implements contact without slip, at velocity level [Drumwright 2015, sec. VI, with errata D15-13
/// and D15-14]:
///
///   0 <= p_n  perp  u_n + s >= 0,    u_t = 0 at the contacts of a list,    p_t = 0 at all others
///
/// It is a law for grasping and walking. It has no cone and no friction coefficient but zero (a
/// contact of friction 0 never sticks). Its cost follows the velocities instead of the contacts
/// (normal_impulses.h). The impulses of friction are the multipliers of as many tangent rows as are
/// independent. It is not Coulomb's law with mu -> infinity: p_t may act without a load. The page
/// docs/theory/no-slip.md has the details.
///
/// The list starts with all contacts that touch (kTouchingGap). A contact is unloaded if its normal
/// impulse is zero in the least-norm solution; a zero in one solution is not enough. The rows of
/// unloaded contacts are dropped and the problem is solved again, until all contacts of the list
/// are loaded. Dropped rows do not return within a step. With StickingList::Touching the list keeps
/// its first form. That is the published model, under which a box beside a wall hangs.
///
/// The solution has one of these statuses:
///
/// - Converged: the law, certified to the tolerance; the modes are the list.
/// - Safe: no velocity obeys it (sticking contacts hold what an overlap must open), or it was not
///   reached; normal impulses alone.
/// - Infeasible, Stalled, NumericalFailure: as `frictionless` says (lcp_models.h).
class NoSlipModel : public CertifyingModel {
 public:
  /// @throws std::invalid_argument if a setting is out of range, or for restitution law Stronge.
  explicit NoSlipModel(const ModelSettings& settings);

  std::unique_ptr<ModelMemory> make_memory() const override;
  ModelTraits traits() const override {
    return {.law = {LawKind::NoSlip, 4, settings_.restitution_of_steps()}};
  }

 protected:
  CertifiedSolution solve_and_certify(const ContactProblem& problem, const ProblemScaling& scaling,
                                      const Eigen::Ref<const Eigen::VectorXd>& warm_start,
                                      ModelMemory& memory) const override;
};

}  // namespace amontons
