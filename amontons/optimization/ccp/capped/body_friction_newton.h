#pragma once

#include "amontons/optimization/ccp/capped/body_friction.h"
#include "amontons/optimization/ccp/capped/body_friction_kernel.h"

namespace amontons {

/// Says when a second-order method ends, and how it is regularized.
struct BodyFrictionNewtonSettings {
  double tolerance = 1e-10;        ///< residual [-] within which it ends where steps gain nothing
  double target_residual = 1e-14;  ///< residual [-] at which it ends
  int max_steps = 60;              ///< one factorization each
  double least_shift = 1e-8;  ///< [-] inside the matrix: small ones are fast, large ones robust
};

/// Runs semismooth Newton's method on the natural maps of a friction problem, in units in which the
/// largest speed is 1. A small multiple of the unit inside the matrix shifts the monotone system:
/// redundant contacts then do no harm.
/// @param best  in: the start; out: the best point met.
/// @returns the number of steps.
int solve_newton(const BodyFrictionProblem& problem, const BodyFrictionNewtonSettings& settings,
                 BodyFrictionKernel& kernel, CappedFrictionPoint& best);

/// Runs the proximal point method [Rockafellar 1976, monotone operators] on the same conditions:
/// with a multiple of the distance from the last point added, they are strongly monotone, and
/// Newton's method solves them. Slower, it arrives where contacts are at the kinks of their laws
/// or multipliers have no bound.
/// @param best  in: the start; out: the best point met.
/// @returns the number of Newton's steps.
int solve_proximal(const BodyFrictionProblem& problem, const BodyFrictionNewtonSettings& settings,
                   BodyFrictionKernel& kernel, CappedFrictionPoint& best);

}  // namespace amontons
