#pragma once

#include "amontons/contact/certificate/contact_space_problem.h"
#include "amontons/contact/contact_problem.h"

#include <Eigen/Core>

namespace amontons {

/// Holds how far a velocity determines the contact impulses. Impulses that move nothing, A p = 0,
/// are a space of dimension nullity(). Here A = J_C M^-1 J_C' with the loop joints kept
/// (contact_space.h), or W.
///
/// A row depends on others if the squared sine of its angle to them, in the scaling M^-1, is below
/// 1e-10 (independent_rows.h).
struct ContactRank {
  Eigen::Index rows = 0;  ///< three per contact
  Eigen::Index rank = 0;
  Eigen::Index nullity() const { return rows - rank; }
};

/// Computes the rank island by island on a dense matrix: O(rows rank^2) each, rows^2 in memory.
ContactRank compute_contact_rank(const ContactProblem& problem);
ContactRank compute_contact_rank(const ContactSpaceProblem& problem);

}  // namespace amontons
