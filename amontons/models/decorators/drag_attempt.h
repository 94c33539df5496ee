#pragma once

#include "amontons/contact/contact_law.h"
#include "amontons/contact/contact_problem.h"
#include "amontons/contact/operators/problem_scaling.h"
#include "amontons/models/common/contact_model.h"

#include <Eigen/Core>

namespace amontons {

/// Number of velocities from which continuation takes less time than the search of shares, where
/// drag couples articulations.
inline constexpr Eigen::Index kMinVelocitiesForContinuation = 60;

/// Returns true if continuation applies and is worth trying first: a law of normal impulses alone,
/// no contact that may bounce, no rows of joints, and an island of many articulations that drag
/// each other.
bool prefers_continuation(const ContactProblem& problem, const ProblemScaling& scaling,
                          const ContactLaw& law);

/// Solves a problem with viscous friction by continuation (drag_continuation.h).
/// @returns the solution with its attempt, and its certificate. The status is Converged where that
///          holds, else that of the continuation or Stalled.
CertifiedSolution solve_drag(const ContactProblem& problem, const ProblemScaling& scaling,
                             const ContactLaw& law, double tolerance);

}  // namespace amontons
