#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"

#include <cstddef>
#include <vector>

namespace amontons {

/// The same problem with each bounded row in the form of a contact, behind the others and in their
/// order, so that every contact law and the judge take them:
///
/// - a limit is a contact without friction whose tangent rows are zero: Signorini's law with s and
///   e is the limit's own;
/// - friction is a contact of no load, a touching gap away, whose friction_offset is the bound: t1
/// is the
///   joint's row, the rest is zero, so that the disc is an interval;
/// - a servo is the same with s in its bias. Its compliance R is a coordinate of its own, of
///   inertia 1/R and at rest, on which the row acts too: its velocity is R p;
/// - what has no bounds (springs, dampers, servos without an effort limit along rows of J) is no
///   contact but a row of J with s in its bias and such a coordinate: L v+ + s + R p = 0. These
///   stand behind the other rows of J.
///
/// The coordinates of compliances stand behind those of M, one block each.
ContactProblem rows_as_contacts(const ContactProblem& problem);
/// The same, keeping the memory of `result`.
void rows_as_contacts(const ContactProblem& problem, ContactProblem& result);

/// An answer in that form.
ContactSolution rows_as_contacts(const ContactProblem& problem, const ContactSolution& solution);

/// Takes an answer of that form back.
ContactSolution contacts_as_rows(const ContactProblem& problem, const ContactSolution& solution);

/// The problem of the contacts alone, with impulses f [nb] of the bounded rows given: they are part
/// of the free motion.
ContactProblem with_rows_given(const ContactProblem& problem, const Eigen::VectorXd& rows);

/// Which bounded rows are contacts of that form, in their order; the others are rows of J.
std::vector<std::size_t> rows_with_bounds(const ContactProblem& problem);

/// Which component (t1, t2, n) of such a contact the row is.
inline Eigen::Index component_of(const BoundedRow& row) {
  return row.kind == BoundedRowKind::Limit ? 2 : 0;
}

}  // namespace amontons
