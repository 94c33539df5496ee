#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/models/common/contact_model.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Solves a phase with some tangent rows of contacts as rows of J behind the problem's own, which a
/// frictionless model keeps from slipping; their impulses become friction.
/// @param rows        rows of J_C.
/// @param gap_speeds  s of the phase [nc] [m/s].
ContactSolution solve_with_sticking_rows(const ContactProblem& problem,
                                         const std::vector<Eigen::Index>& rows,
                                         const Eigen::VectorXd& gap_speeds,
                                         const ContactModel& frictionless);

/// Writes a list of contacts that stick [nc] as modes [nc], whatever the speeds.
void write_sticking_modes(const ContactProblem& problem, const std::vector<char>& list,
                          std::vector<ContactMode>& modes);

}  // namespace amontons
