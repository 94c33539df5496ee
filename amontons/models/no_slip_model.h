#pragma once

#include "amontons/models/common/certifying_model.h"

namespace amontons {

/// Contact without slip, at velocity level [Drumwright 2015, sec. VI, with errata D15-13 and
/// D15-14]:
///
///   0 <= p_n  perp  u_n + s >= 0,    u_t = 0 at the contacts of a list,    p_t = 0 at all others
///
/// a law for grasping and walking: no cone, no friction coefficient but zero (a contact of friction
/// 0 never sticks), and a cost driven by the velocities instead of the contacts
/// (normal_impulses.h). The impulses of friction are the multipliers of as many tangent rows as are
/// independent. It is not Coulomb's law with mu -> infinity: p_t may act without a load.
///
/// The list: first all contacts that touch (kTouchingGap). A contact is unloaded if its normal
/// impulse is zero in the least-norm one of the solutions, not because one solution leaves it at
/// zero; its rows are dropped and the problem solved again, until all that are listed bear a load.
/// Dropped rows do not come back within a step. With StickingList::Touching the list stays as it
/// was first, the published model, under which a box beside a wall hangs.
///
/// The answer and its status:
///
/// - Converged: the law, certified to the tolerance; the modes tell the list.
/// - Safe: no velocity obeys it (what sticks holds what an overlap must open), or it was not
///   reached; normal impulses alone.
/// - Infeasible, Stalled, NumericalFailure: as `frictionless` says (lcp_models.h).
class NoSlipModel : public CertifyingModel {
 public:
  /// @throws std::invalid_argument if a setting is out of range, or for restitution law Stronge.
  explicit NoSlipModel(const ModelSettings& settings);

  std::unique_ptr<ModelMemory> make_memory() const override;

 protected:
  CertifiedSolution solve_and_certify(const ContactProblem& problem, const ProblemScaling& scaling,
                                      const Eigen::Ref<const Eigen::VectorXd>& warm_start,
                                      ModelMemory& memory) const override;
};

}  // namespace amontons
