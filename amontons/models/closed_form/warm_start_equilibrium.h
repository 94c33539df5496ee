#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/operators/problem_scaling.h"

#include <Eigen/Core>

namespace amontons {

/// Returns an impulse [N s] moved into its cone, |p_t| <= friction p_n + friction_offset, by
/// shortening its tangential part.
Eigen::Vector3d in_friction_cone(const Eigen::Vector3d& impulse, double friction,
                                 double friction_offset = 0.0);

/// Tries the impulses of the last step on an island that rests under Coulomb's law. If they hold
/// all its bodies (kAtRest, solution_assembly.h) they are written into `solution` with velocity
/// zero, to be certified. An island at rest then costs a certificate, and no cone problem is
/// assembled (docs/theory/rest.md).
///
/// @param warm_start  impulses [3 nc] [N s], or empty.
/// @returns false, the solution undefined, where something moves, may bounce or opens, under loop
/// joints, and where the free motion needs no impulse.
bool try_warm_start_at_rest(const ContactProblem& problem, const ProblemScaling& scaling,
                            const Eigen::VectorXd& warm_start, ContactSolution& solution);

}  // namespace amontons
