#pragma once

#include "amontons/models/common/certifying_model.h"

namespace amontons {

/// Implements `mirtich`: impacts as collisions one after the other [Mirtich 1996, thesis, ch. 3].
/// The page docs/theory/impacts.md explains the law.
///
/// The problem is that of an impact: a step of length zero, the contacts that touch, v_free the
/// velocity before. In a step of finite length, of impulse-based simulation, v_free is the free
/// motion and contacts approach that would close their gaps, by u_n + s < 0 with s >= 0. The
/// contact that approaches fastest collides (models/impact/collision_path.h), as if it were alone
/// but with its loop joints kept. Then the fastest of the remaining approaches collides, until none
/// is left. Equal ones collide in the order of contacts. Restitution follows Stronge's law unless
/// another is asked for.
///
/// Limits of joints collide, too. Dry friction and servos of joints keep their own law in the step
/// as a whole, and answer each collision (models/impact/bounded_row_answers.h).
///
/// Some collisions follow each other without end, each a fixed share of the one before. An example
/// is a ball between a wall and a block that comes closer. They are followed to 1e-12 of the
/// speeds.
///
/// The solution claims the law `Impact`. It has one of these statuses:
///
/// - Converged: nothing approaches, certified.
/// - IterationLimit: max_iterations collisions happened (1000 and 100 for each contact, where not
///   given). Normal impulses without a rebound stopped the remaining approaches at once.
/// - Safe, Infeasible and so on: a contact that no impulse parts; the solution is that of
///   `frictionless`.
class MirtichModel : public CertifyingModel {
 public:
  /// @throws std::invalid_argument if a setting is out of range.
  explicit MirtichModel(const ModelSettings& settings);

  ModelTraits traits() const override {
    return {.resolves_impacts_only = true, .law = {LawKind::Impact, 4, *settings_.restitution}};
  }

 protected:
  CertifiedSolution solve_and_certify(const ContactProblem& problem, const ProblemScaling& scaling,
                                      const Eigen::Ref<const Eigen::VectorXd>& warm_start,
                                      ModelMemory& memory) const override;
};

}  // namespace amontons
