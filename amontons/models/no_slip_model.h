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
/// The list holds the contacts that bear a load. It starts empty. A contact joins if it bears a
/// load, or does so in another solution with the same velocity; it leaves if no solution loads it
/// (contact/certificate/contact_loads.h). A contact that is loaded while it may slip and unloaded
/// while it is held, as the tip of a trailing rod, is held. With StickingList::Touching the list is
/// that of all contacts that touch at the start (touching_gap()). That is the published model,
/// under which a box beside a wall hangs.
///
/// The solution has one of these statuses:
///
/// - Converged: the law, certified to the tolerance; the modes are the list. Overlaps that sticking
///   contacts hold are left as they are (contact/certificate/held_overlaps.h).
/// - Acceptable: within the acceptable tolerance, where rows nearly depend on each other.
/// - Safe: no velocity obeys it, or it was not reached; normal impulses alone.
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
