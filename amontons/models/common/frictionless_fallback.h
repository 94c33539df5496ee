#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/operators/problem_scaling.h"
#include "amontons/models/common/contact_model.h"

namespace amontons {

/// Returns the last solution of a model whose own law was not reached: normal impulses alone. The
/// problem is monotone, and `frictionless` solves it or proves it infeasible. Viscous friction acts
/// as under the other models.
///
/// The status is Safe, or what `frictionless` says instead of Converged (lcp_models.h).
ContactSolution frictionless_fallback(const ContactProblem& problem, const ProblemScaling& scaling,
                                      const ModelSettings& settings);

/// Returns that solution, with the attempts and iterations of `tried` before its own.
ContactSolution fallback_after(const ContactSolution& tried, ContactSolution safe);

}  // namespace amontons
