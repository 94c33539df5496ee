#pragma once

#include "amontons/optimization/ccp/cone_iterate.h"

namespace amontons {

/// Says when the sweeps end.
struct ConjugateSweepSettings {
  double tolerance = 1e-3;  ///< bound of the residual [-]
  int max_sweeps = 200;     ///< limit of sweeps
};

/// Runs Gauss-Seidel as the gradient of nonsmooth nonlinear conjugate gradients [Silcowitz, Niebe,
/// Erleben 2010]: g = r_before - r_after of a sweep over all contacts in order, and
///
///   beta = |g|^2 / |g_last|^2,   r <- r_after + beta p,   p <- beta p - g,   p = 0 where beta > 1.
///
/// It needs two dot products a sweep, no memory of earlier points, and a fifth of the sweeps of
/// plain Gauss-Seidel on heaps. The change of a sweep, which costs nothing to measure, foretells
/// the residual, which costs half a sweep. Leaves the best iterate.
ConeResult solve_conjugate_sweeps(const ConeProblem& problem,
                                  const ConjugateSweepSettings& settings, ConeWorkspace& work,
                                  ConeIterate& iterate);

}  // namespace amontons
