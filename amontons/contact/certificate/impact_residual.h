#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/operators/problem_scaling.h"

#include <Eigen/Core>

namespace amontons {

/// Holds how far a solution is from the law `Impact`: impulses that act one after the other without
/// taking time, each the end of a collision (collision.h). Their sum pushes, lies in the cone and
/// leaves nothing that approaches. A contact may carry an impulse and part.
///
/// Dry friction and servos of joints are no collisions. They have the residuals of the other laws:
/// |w f - Proj(w f - (u + s + R f))|.
///
/// The sequence of collisions is the model's choice (models/mirtich_model.h) and is not certified.
/// If a contact is the only one of its island, its impulse must be that of its collision.
struct ImpactResidual {
  /// [nc] [m/s] max(-w p_n, -(u_n + s), 0); alone in its island: w |p_n - its collision's|. In a
  /// step of finite length s is the speed that just closes the gap, at least 0, and a contact that
  /// does not reach has no collision.
  Eigen::VectorXd normal;
  /// [nc] [m/s] max(w (|p_t| - mu p_n), 0), of rows of joints as above; alone in its island: w |p_t
  /// - its collision's|
  Eigen::VectorXd friction;
  /// KE(v+) - KE(v_free), less the works of prescribed motions and stabilization [J].
  double energy = 0.0;
  /// Energy that stabilization of the joints may inject [J].
  double stabilization_work = 0.0;
};
/// Returns the residuals of a solution that claims the law `Impact`.
ImpactResidual impact_residual(const ContactProblem& problem, const ProblemScaling& scaling,
                               const ContactSolution& solution);

}  // namespace amontons
