#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/operators/problem_scaling.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/models/common/restitution.h"
#include "amontons/models/dissipation_first_phase.h"
#include "amontons/optimization/ccp/body_space_operator.h"
#include "amontons/optimization/ccp/capped/body_friction.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Solves phase II of maximum dissipation on an island without loop joints and without rows of
/// joints (optimization/ccp/capped/body_friction.h): all contacts at once, at a cost that follows
/// bodies and contacts.
class DissipationOnBodies {
 public:
  /// Returns true if phase II of a problem can be solved so.
  static bool applies_to(const ContactProblem& problem);

  /// The arguments must outlive the object.
  /// @param is_contact  contacts that some impulse moves [nc]; the others carry nothing.
  DissipationOnBodies(const ContactProblem& problem, const ProblemScaling& scaling,
                      const std::vector<char>& is_contact);

  /// Solves phase II, from the guess of the phase where it has one.
  /// @param velocity     u with the given impulses alone [3 nc] [m/s].
  /// @param offset       offsets of the discs [nc] [N s].
  /// @param tolerance    share of each contact's V that its residual may have [-].
  /// @param limit        of iterations.
  /// @param dissipation  receives impulses, multipliers and price; its witness holds phase I.
  void solve(const ContactPhase& phase, const Eigen::VectorXd& velocity,
             const Eigen::VectorXd& offset, const DissipationCap& cap, double tolerance,
             std::optional<int> limit, DissipationSolution& dissipation) const;

 private:
  BodyFrictionProblem assemble(const ContactPhase& phase, const Eigen::VectorXd& velocity,
                               const Eigen::VectorXd& offset, const DissipationCap& cap,
                               double unit, const DissipationSolution& dissipation) const;

  const ContactProblem& problem_;
  const ProblemScaling& scaling_;
  std::vector<int> members_;  // contacts that take part, ascending
  Eigen::VectorXd root_;      // sqrt(w) of the members
  BodySpaceOperator rows_;    // J L^-1 / sqrt(w), M = L'L
};

}  // namespace amontons
