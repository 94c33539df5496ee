#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/operators/problem_scaling.h"

#include <Eigen/Core>

namespace amontons {

/// How far an answer is from the law `Impact`: impulses that act one after the other without taking
/// time, each the end of a collision (collision.h). Their sum pushes, lies in the cone and leaves
/// nothing that approaches; a contact may carry an impulse and part.
///
/// Which collisions there were, and in what order, is the model's choice (models/mirtich_model.h)
/// and not judged, unless a contact is the only one of its island: then its impulse is the
/// collision's.
struct ImpactResidual {
  /// [nc] [m/s] max(-w p_n, -u_n, 0); alone in its island: w |p_n - its collision's|. Infinity in a
  /// step of finite length, which is no impact.
  Eigen::VectorXd normal;
  /// [nc] [m/s] max(w (|p_t| - mu p_n), 0); alone in its island: w |p_t - its collision's|
  Eigen::VectorXd friction;
  /// KE(v+) - KE(v_free), less the work of prescribed motions [J]
  double energy = 0.0;
};
ImpactResidual impact_residual(const ContactProblem& problem, const ProblemScaling& scaling,
                               const ContactSolution& solution);

}  // namespace amontons
