#pragma once

#include "amontons/contact/certificate/residual.h"
#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/operators/problem_scaling.h"

namespace amontons {

struct CertificateWorkspace;

/// Holds what the equations of motion leave, and how well that is known.
struct MotionResiduals {
  Residual dynamics;  ///< Certificate::dynamics
  Residual rounding;  ///< Certificate::rounding
};

/// Returns |v+ - v_free - M^-1 (J_C'p + J'c + L'f)| per articulation in the norm of M, and its
/// rounding. Its scale is |v+| + |v_free|, or 1e-6 of the sum of the impulses' own lengths, or
/// kLeastScale, whichever is most.
///
/// The rounding is eps times the same sum, relative to the speed of the articulation's island, or
/// to its own where that shows that it is negligible. Impulses that cancel leave a velocity that is
/// not known better. The speed of an island is the largest |v+| + |v_free|, V / sqrt(w) of a
/// contact, correction of a joint's row, or bounded effort alone. `where`: the articulation.
MotionResiduals motion_residuals(const ContactProblem& problem, const ProblemScaling& scaling,
                                 const ContactSolution& solution);
/// Returns the same with memory that is kept.
/// @param work  in: M (v+ - v_free), `gained`.
MotionResiduals motion_residuals(const ContactProblem& problem, const ProblemScaling& scaling,
                                 const ContactSolution& solution, CertificateWorkspace& work);

/// Returns |J v+ - joint_target| per joint row. Its scale is the largest of the row's velocity in
/// the free motion, its target, and the velocity that impulses of contacts and bounded rows give
/// it. The scale is at least 1e-6 of the terms of J v, and of the velocities that all impulses and
/// the free motion may give it, one by one: those are |J| in the norm of M^-1 times their lengths
/// in the norm of M. A row of a body that rests but for its rounding is thereby measured by what
/// moves the body, also in an impact, where no step gives a scale. The scale is also at least 4e-8
/// gamma/h of the lever of the joint errors, the largest sum of absolute entries among the joint's
/// rows: errors are known to 4e-16 of it. It is never below kLeastScale, whose squares are nothing,
/// nor below 1e-6 of what the fastest body of the island could give the row: all are solved
/// together, and share their rounding.
/// A row that depends on others (independent_joint_rows.h) holds as they do. For it the residual
/// states whether its target agrees with theirs, up to the joints' errors squared, and to what it
/// moves against them within the sine by which it depends on them. `where`: the row.
Residual joint_residual(const ContactProblem& problem, const ProblemScaling& scaling,
                        const ContactSolution& solution);

}  // namespace amontons
