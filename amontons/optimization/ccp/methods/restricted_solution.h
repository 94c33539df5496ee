#pragma once

#include "amontons/optimization/ccp/cone_iterate.h"

#include <functional>

namespace amontons {

/// Represents a method that continues from the iterate, or starts from scratch, and leaves its best
/// point there.
using ConeMethod = std::function<ConeResult(const ConeProblem&, ConeIterate&)>;

/// Solves a problem on the contacts alone that are near a guess (find_near_contacts()). Contacts
/// left out that close at the solution join, and the method starts again, up to three times. Where
/// nearly all contacts are near, the method gets the whole problem.
/// @param guess  reactions and velocities, not the workspace's `part`.
/// @param tolerance  residual [-] up to which contacts left out need not join.
/// @param point  receives the solution, as good as the method's or with Stalled.
ConeResult solve_restricted(const ConeProblem& problem, const ConeIterate& guess, double tolerance,
                            const ConeMethod& method, ConeWorkspace& work, ConeIterate& point);

}  // namespace amontons
