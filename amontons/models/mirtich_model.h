#pragma once

#include "amontons/models/common/certifying_model.h"

namespace amontons {

/// `mirtich`: impacts as collisions one after the other [Mirtich 1996, thesis, ch. 3].
///
/// Takes the problem of an impact: a step of length zero, the contacts that touch, v_free the
/// velocity before. The contact that approaches fastest collides (models/impact/collision_path.h),
/// as if it were alone but with its loop joints kept; then the one that approaches fastest after
/// that, until none does. Equal ones go in the order of contacts. Restitution by Stronge's law
/// unless another is asked for.
///
/// Where collisions follow each other without end (a ball between a wall and a block that comes
/// closer), each as large a share of the one before, they are followed to 1e-12 of the speeds.
///
/// The answer claims the law `Impact`. Its status:
///
/// - Converged: nothing approaches, certified. Where Newton's or Poisson's law has added energy the
///   remark of the attempt says how much.
/// - IterationLimit: after max_iterations collisions (1000 and 100 for each contact, where not
///   given) what still approached was stopped at once, by normal impulses without a rebound.
/// - Safe, Infeasible and so on: a contact that no impulse parts; `frictionless` has answered.
class MirtichModel : public CertifyingModel {
 public:
  /// @throws std::invalid_argument if a setting is out of range.
  explicit MirtichModel(const ModelSettings& settings);

  ModelTraits traits() const override { return {.is_of_impacts = true}; }

 protected:
  /// @throws std::invalid_argument if the problem's step is not zero.
  CertifiedSolution solve_and_certify(const ContactProblem& problem, const ProblemScaling& scaling,
                                      const Eigen::Ref<const Eigen::VectorXd>& warm_start,
                                      ModelMemory& memory) const override;
};

}  // namespace amontons
