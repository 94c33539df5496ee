#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/simulation/system/state.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Returns the impulses of the last step in the contact frames of a problem, then on its bounded
/// rows [3 nc + nb]. Units are N s and N m s. Impulses are zero where a contact is new. The result
/// is empty if there are none.
/// @param last  sorted by key.
Eigen::VectorXd transported_warm_start(const std::vector<WarmStartEntry>& last,
                                       const ContactProblem& problem);

/// Keeps the nonzero impulses of a solution for the next step, in the world. That of a servo back
/// inside its limit is left out, which returns the servo into M.
/// @param last  warm start of the solution's own step.
/// @param kept  replaced; sorted by key.
void keep_impulses(const ContactProblem& problem, const ContactSolution& solution,
                   const std::vector<WarmStartEntry>& last, std::vector<WarmStartEntry>& kept);

}  // namespace amontons
