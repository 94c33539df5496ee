#pragma once

#include "amontons/contact/contact_law.h"
#include "amontons/contact/contact_problem.h"
#include "amontons/contact/operators/contact_space.h"
#include "amontons/contact/operators/problem_scaling.h"
#include "amontons/models/common/restitution.h"
#include "amontons/models/formulation/lcp_assembly.h"

#include <Eigen/Core>

#include <string>
#include <vector>

namespace amontons {

/// Holds one linear complementarity problem for all contacts of a step, in the order of the
/// contacts.
struct StepLcp {
  FrictionLcp friction;         ///< rows (p_n, beta, lambda) of each contact
  std::vector<int> contacts;    ///< contacts that can move a body
  Eigen::Matrix2Xd directions;  ///< of the friction polygon
};

/// Assembles the problem of a law in one phase of a step (lcp_assembly.h).
/// @param law  Pyramid, ConvexPyramid or Frictionless. Contacts beyond its activation gap take no
/// part.
/// @throws std::invalid_argument for another law.
StepLcp step_lcp(const ContactProblem& problem, const ProblemScaling& scaling,
                 const ContactSpace& space, const ContactLaw& law, const ContactPhase& phase);

/// Assembles the problem of a law in a step without restitution.
/// @throws std::invalid_argument  besides, if a contact has a restitution above zero, whose step is
/// no single problem, and where joints have bounded rows, limits or friction, which the
/// complementarity problem of the contacts does not contain.
StepLcp step_lcp(const ContactProblem& problem, const ContactLaw& law);

/// Returns the impulses [3 nc] [N s] of all contacts of a problem, of a solution z.
Eigen::VectorXd step_impulses(const ContactProblem& problem, const StepLcp& lcp,
                              const Eigen::Ref<const Eigen::VectorXd>& z);

/// Returns the matrix E [3 nc x n] of p = E z, of which step_impulses() is the product.
Eigen::MatrixXd impulse_matrix(const ContactProblem& problem, const StepLcp& lcp);

/// Returns the names of the rows in their order: "contact 3: p_n", "contact 3: beta_1" for its
/// directions from 0 on, "contact 3: lambda".
std::vector<std::string> row_names(const StepLcp& lcp);

}  // namespace amontons
