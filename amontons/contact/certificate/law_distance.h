#pragma once

#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/certificate/contact_space_islands.h"

#include <vector>

namespace amontons {

/// Returns the modes [nc] by which `NoSlip` judges a solution of another law: Stick for contacts
/// that may stick and carry a load, w p_n > tolerance V, Open for all others.
std::vector<ContactMode> loaded_as_sticking(const ContactProblem& problem,
                                            const ProblemScaling& scaling,
                                            const ContactSolution& solution, double tolerance);

/// Returns the distance of a solution from the law that was asked [-], whatever law it claims.
///
/// It is the largest residual of the asked law at the solution, in the units of the certificate:
/// natural maps divided by V, and the rows of J. Where the solution claims the asked law it is
/// therefore the worst residual of its own certificate. Laws that are no relation of natural maps
/// are measured by what a weaker solution lacks:
///
/// - `NoSlip`: the natural map of the normal law, and the slip speed |u_t| of the contacts of
///   loaded_as_sticking().
/// - Maximum dissipation: its own residual where the solution has multipliers, else the natural
///   maps of Coulomb's law. Those show the friction that the solution lacks, min(|u_t|, mu w p_n).
/// - `Impact`: what pulls, approaches or leaves its cone, and the distance from Coulomb's law with
///   the speed at which each contact parts as its rebound.
///
/// @param certificate  certificate of the solution by the law that it claims.
/// @param tolerance    see certify().
/// @returns the distance; `where` is the contact, or -1 at a row of joints.
Residual law_distance(const ContactProblem& problem, const ProblemScaling& scaling,
                      const ContactSolution& solution, const Certificate& certificate,
                      const ContactLaw& asked, double tolerance);

/// Returns the same distance of impulses p [3 nc] in one island of a problem without bodies, where
/// every law but the relations of single contacts is measured by Coulomb's.
Residual law_distance(const ContactSpaceProblem& problem, const ContactSpaceIslands& islands,
                      std::size_t island, const Eigen::VectorXd& impulses, const ContactLaw& asked,
                      double tolerance);

}  // namespace amontons
