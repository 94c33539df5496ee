#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/simulation/system/state.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Impulses of the last step in the contact frames of a problem, then on its bounded rows
/// [3 nc + nb]; zero where a contact is new. Empty if there are none.
/// @param last  sorted by key.
Eigen::VectorXd transported_warm_start(const std::vector<WarmStartEntry>& last,
                                       const ContactProblem& problem);

/// What an answer leaves for the next step: impulses that are not zero, in the world. That of a
/// servo back inside its limit is left out, which returns the servo into M.
/// @param last  what the answer's own step started from.
/// @param kept  replaced; sorted by key.
void keep_impulses(const ContactProblem& problem, const ContactSolution& solution,
                   const std::vector<WarmStartEntry>& last, std::vector<WarmStartEntry>& kept);

}  // namespace amontons
