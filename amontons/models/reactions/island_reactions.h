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

/// An island's answer as a contact law sees it, and what its velocity depends on.
struct IslandReactions {
  std::vector<int> contacts;  ///< [k] of the whole problem, ascending
  /// [k] dry impulses: what viscous friction does is taken off. s of a contact that may bounce is
  /// that of its rebound (certificate.h).
  std::vector<ContactState> points;
  Eigen::VectorXd speeds;  ///< V [k] [m/s]
  /// sqrt(w_i) [k]: reactions r = sqrt(w) p have the unit sqrt(J), and impulses that differ give
  /// the same velocity if and only if X r agrees. X'X = D A D, D = 1/sqrt(w): its columns are near
  /// 1.
  Eigen::VectorXd roots;
  Eigen::SparseMatrix<double> X;  ///< [m x 3k]
};

/// One for each island with contacts. Contacts beyond the law's activation gap have an infinite s:
/// they carry nothing. Without loop joints X has a row for each velocity of the island, else one
/// for each independent row of A (independent_rows.h), as of a problem without bodies.
/// @throws std::invalid_argument if Poisson restitution acted: its law is one of two phases.
std::vector<IslandReactions> island_reactions(const ContactProblem& problem,
                                              const ProblemScaling& scaling,
                                              const ContactSolution& solution);

/// The same of a problem without bodies, X that of the symmetric part of W: where W = H K^-1 H' the
/// impulses that move nothing are the same, whether K is symmetric or not.
/// @param impulses  [3 nc].
std::vector<IslandReactions> island_reactions(const ContactSpaceProblem& problem,
                                              const Eigen::VectorXd& impulses);

}  // namespace amontons
