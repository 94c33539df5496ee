#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"

#include <cstddef>
#include <vector>

namespace amontons {

/// Returns the same problem with each bounded row in the form of a contact, after the contacts and
/// in their order. Every contact law and the certificate then apply to them:
///
/// - a limit is a contact without friction whose tangent rows are zero. Signorini's law with its s
///   and e is the law of the limit;
/// - friction is a contact of no load and no gap, whose friction_offset is the bound. Its
///   t1 is the joint's row and the rest is zero, so that the disc is an interval;
/// - a servo is the same with s in its bias. Its compliance R is a coordinate of its own, of
///   inertia 1/R and at rest, on which the row acts too: its velocity is R p;
/// - a row without bounds (spring, damper, servo without an effort limit along rows of J) becomes a
///   row of J. It has s in its bias and such a coordinate: L v+ + s + R p = 0. These rows follow
///   the other rows of J.
///
/// The coordinates of compliances follow those of M, one block each. The page
/// docs/theory/joint-rows.md gives the reasons.
ContactProblem rows_as_contacts(const ContactProblem& problem);
/// Writes the same problem into `result`, whose memory is kept.
void rows_as_contacts(const ContactProblem& problem, ContactProblem& result);

/// Returns a solution in the form of rows_as_contacts(problem).
ContactSolution rows_as_contacts(const ContactProblem& problem, const ContactSolution& solution);

/// Returns the solution of the original problem from one of that form.
ContactSolution contacts_as_rows(const ContactProblem& problem, const ContactSolution& solution);

/// Returns the problem of the contacts alone, with prescribed impulses f [nb] of the bounded rows.
/// Those impulses become part of the free motion.
ContactProblem with_prescribed_rows(const ContactProblem& problem, const Eigen::VectorXd& impulses);

/// Returns the bounded rows that become contacts in that form, in their order; the others become
/// rows of J.
std::vector<std::size_t> rows_with_bounds(const ContactProblem& problem);

/// Returns the component (t1, t2, n) of the contact that represents a joint's row, which the row
/// occupies: n for a limit, t1 for others.
Eigen::Index component_of_joint_row(const ContactProblem& contacts, std::size_t contact);

/// Returns the component (t1, t2, n) of such a contact that the row occupies.
inline Eigen::Index component_of(const BoundedRow& row) {
  return row.kind == BoundedRowKind::Limit ? 2 : 0;
}

}  // namespace amontons
