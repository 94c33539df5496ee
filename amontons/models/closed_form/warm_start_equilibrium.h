#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/operators/problem_scaling.h"
#include "amontons/models/common/restitution.h"

#include <Eigen/Core>

namespace amontons {

/// Returns an impulse [N s] moved into its cone, |p_t| <= friction p_n + friction_offset, by
/// shortening its tangential part.
Eigen::Vector3d in_friction_cone(const Eigen::Vector3d& impulse, double friction,
                                 double friction_offset = 0.0);

/// Says what the impulses of the last step do in this one.
enum class WarmStartAnswer {
  None,   ///< they do not obey the law, or were not tried
  Rests,  ///< they hold all bodies at rest
  Moves,  ///< they obey the law while bodies move, as at a steady slide
};

/// Holds the intermediate results of try_warm_start(). Its memory is reused from call to call.
struct WarmStartWorkspace {
  RestitutionSolution last;          ///< impulses of the last step, in their cones
  Eigen::VectorXd contact_velocity;  ///< u that belongs to them [3 nc] [m/s]
};

/// Tries the impulses of the last step on an island under Coulomb's law. If they hold all its
/// bodies (kAtRest, solution_assembly.h) or obey the law while these move they are written into
/// `solution` with their velocities, to be certified. Such an island then costs a certificate, and
/// no cone problem is assembled (docs/theory/rest.md).
///
/// @param warm_start  impulses [3 nc] [N s], or empty.
/// @param tolerance   bound of the natural maps where bodies move [-].
/// @param work        scratch.
/// @param solution    its law is set; undefined where the answer is None.
/// @returns None where something may bounce or opens, under loop joints, and where the free motion
/// needs no impulse.
WarmStartAnswer try_warm_start(const ContactProblem& problem, const ProblemScaling& scaling,
                               const Eigen::VectorXd& warm_start, double tolerance,
                               WarmStartWorkspace& work, ContactSolution& solution);

}  // namespace amontons
