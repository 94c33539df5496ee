#pragma once

#include "amontons/optimization/ccp/capped/capped_friction.h"

namespace amontons {

/// Solves a capped friction problem (capped_friction.h) as a conic program by the interior point
/// method, up to some seven digits. Rows that hold are equations: the program is one in a basis of
/// their null space. Conditions that the equations leave constant, up to rounding, are left out.
/// @param point  receives the best point met, with its multipliers; zeros where there is none.
/// @returns the number of steps.
int solve_interior(const CappedFrictionProblem& problem, int max_steps, CappedFrictionPoint& point);

}  // namespace amontons
