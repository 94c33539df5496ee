#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// The same problem with some tangent rows of contacts as rows of J behind its own, so that a
/// frictionless model keeps them from slipping.
/// @param rows  of J_C.
ContactProblem with_sticking_rows(const ContactProblem& problem,
                                  const std::vector<Eigen::Index>& rows);

/// An answer of that problem as one of `problem`: what the rows carry becomes friction.
ContactSolution without_sticking_rows(const ContactProblem& problem,
                                      const ContactProblem& with_rows,
                                      const std::vector<Eigen::Index>& rows,
                                      const ContactSolution& solution);

}  // namespace amontons
