#pragma once

#include "amontons/optimization/ccp/capped/body_friction.h"
#include "amontons/optimization/ccp/capped/body_friction_kernel.h"

namespace amontons {

/// Runs a primal-dual interior point method with Nesterov-Todd scaling and Mehrotra's correction
/// [Vandenberghe 2010] on a friction problem in units in which the largest speed is 1. x stays
/// inside its cones; the normal conditions and the cap have slacks of their own, so that no point
/// that satisfies all of them strictly is needed. It finds some seven digits: finish with Newton's
/// method.
/// @param compliance  of reactions and multipliers within one step [-]. It bounds the kernel's
///   entries and with them its rounding, and vanishes with the steps: a proximal point iteration.
/// @param kernel      kernel of the problem.
/// @param best        receives the best point met.
/// @returns the number of steps.
int solve_interior(const BodyFrictionProblem& problem, int max_steps, double compliance,
                   BodyFrictionKernel& kernel, CappedFrictionPoint& best);

}  // namespace amontons
