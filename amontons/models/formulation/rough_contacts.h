#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/operators/problem_scaling.h"
#include "amontons/models/common/contact_model.h"

#include <optional>
#include <vector>

namespace amontons {

/// Holds the contacts that Coulomb's law loads at a large friction.
struct RoughContacts {
  std::vector<char> loaded;  ///< [nc]
  SolveAttempt attempt;      ///< how the law was solved
};

/// Solves Coulomb's law at a friction of 10^6 in half of the effort that is left. The contacts that
/// it loads are a consistent list of the law `NoSlip` if none of them slips
/// (docs/theory/no-slip.md).
/// @param max_iterations  as in ModelSettings; none: a limit of its own.
RoughContacts find_rough_contacts(const ContactProblem& problem, const ProblemScaling& scaling,
                                  ModelSettings settings, std::optional<int> max_iterations);

}  // namespace amontons
