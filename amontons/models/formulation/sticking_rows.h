#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Returns the same problem with some tangent rows of contacts as rows of J behind its own. A
/// frictionless model then keeps them from slipping.
/// @param rows  rows of J_C.
ContactProblem with_sticking_rows(const ContactProblem& problem,
                                  const std::vector<Eigen::Index>& rows);

/// Returns the solution of `problem` from one of that problem: the impulses of the rows become
/// friction.
ContactSolution without_sticking_rows(const ContactProblem& problem,
                                      const ContactProblem& with_rows,
                                      const std::vector<Eigen::Index>& rows,
                                      const ContactSolution& solution);

/// Writes a list of contacts that stick [nc] as modes [nc], whatever the speeds.
void write_sticking_modes(const ContactProblem& problem, const std::vector<char>& list,
                          std::vector<ContactMode>& modes);

}  // namespace amontons
