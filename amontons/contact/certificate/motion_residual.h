#pragma once

#include "amontons/contact/certificate/residual.h"
#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/operators/problem_scaling.h"

namespace amontons {

/// |v+ - v_free - M^-1 (J_C'p + J'c)| per articulation in the norm of M, relative to |v+| +
/// |v_free| or 1e-6 of the sum of the impulses' own lengths, whichever is more. `where`: the
/// articulation.
Residual dynamics_residual(const ContactProblem& problem, const ProblemScaling& scaling,
                           const ContactSolution& solution);

/// |J v+ - joint_target| per joint row, relative to the largest of the row's velocity in the free
/// motion, its target, and what the contact impulses do to it; not below 1e-6 of the terms of J v
/// nor of what all impulses do to it, one by one. A row that depends on others
/// (independent_joint_rows.h) holds as they do: of it is judged whether its target agrees with
/// theirs, up to the joints' errors squared. `where`: the row.
Residual joint_residual(const ContactProblem& problem, const ProblemScaling& scaling,
                        const ContactSolution& solution);

}  // namespace amontons
