#pragma once

#include "amontons/contact/certificate/contact_space_problem.h"
#include "amontons/contact/certificate/law_residual.h"
#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/operators/problem_scaling.h"

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include <vector>

namespace amontons {

/// Holds an island's solution as a contact law reads it, and the matrix that gives its velocity.
struct IslandReactions {
  std::vector<int> contacts;  ///< [k] indices in the whole problem, ascending
  /// [k] Dry impulses, without the part of viscous friction. s of a contact that may bounce is that
  /// of its rebound (certificate.h).
  std::vector<ContactState> points;
  Eigen::VectorXd speeds;  ///< V [k] [m/s]
  /// sqrt(w_i) [k] [kg^-1/2]. Reactions r = sqrt(w) p have the unit sqrt(J), and impulses that
  /// differ give the same velocity if and only if X r agrees. X'X = D A D, D = 1/sqrt(w): the
  /// lengths of its columns are near 1.
  Eigen::VectorXd roots;
  Eigen::SparseMatrix<double> X;  ///< [m x 3k]
};

/// Returns one entry for each island with contacts. Contacts beyond the law's activation gap have
/// an infinite s: they carry nothing. Without loop joints X has a row for each velocity of the
/// island. With them, and for a problem without bodies, it has one for each independent row of A
/// (independent_rows.h).
/// @throws std::invalid_argument if Poisson restitution acted: its law is one of two phases.
std::vector<IslandReactions> island_reactions(const ContactProblem& problem,
                                              const ProblemScaling& scaling,
                                              const ContactSolution& solution);

/// Returns the same for a problem without bodies, X that of the symmetric part of W. Where W = H
/// K^-1 H' the impulses that move nothing are the same, whether K is symmetric or not.
/// @param impulses  p [3 nc] [N s].
std::vector<IslandReactions> island_reactions(const ContactSpaceProblem& problem,
                                              const Eigen::VectorXd& impulses);

}  // namespace amontons
