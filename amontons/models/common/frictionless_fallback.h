#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/operators/problem_scaling.h"
#include "amontons/models/common/contact_model.h"

namespace amontons {

/// The last answer of a model whose own law was not reached: normal impulses alone, monotone,
/// solved or proved infeasible by `frictionless` (viscous friction acts as under the other models).
///
/// Its status is Safe, or what `frictionless` says instead of Converged (lcp_models.h).
ContactSolution frictionless_fallback(const ContactProblem& problem, const ProblemScaling& scaling,
                                      const ModelSettings& settings);

/// That answer, with the attempts and iterations of `tried` before its own.
ContactSolution fallback_after(const ContactSolution& tried, ContactSolution safe);

}  // namespace amontons
