#pragma once

#include "amontons/optimization/ccp/cone_iterate.h"

namespace amontons {

struct InteriorPointSettings {
  double tolerance = 1e-8;  ///< of the residual
  int max_iterations = 80;
  /// Share of the iterate in the first point, in [0, 1), the rest is from scratch [Skajaa,
  /// Andersen, Ye 2013]: on round cones, a third fewer steps from a point nearby.
  double warm_share = 0.0;
};

/// Interior methods soften the rows of equalities: u = -this dr.
inline constexpr double kEqualitySoftness = 1e-9;

/// Primal-dual interior point method with Nesterov-Todd scaling [Nesterov, Todd 1997], for
///
///   r in K,  y = u + mu g(u_t) n in K*,  r . y = 0,   u = W r + q,
///
/// g = 0 for the associated law (a convex cone program) and g = sqrt(|u_t|^2 + eps^2) for Coulomb's
/// [De Saxce, Feng 1998], eps -> 0 with the gap, the whole Jacobian in each step. Number of steps
/// nearly independent of size. It can use little of a warm start, and loses digits near 1e-9 on
/// redundant contacts: finish with Newton. Leaves the best point seen, or, from
/// scratch, the iterate's own where that is better.
///
/// @returns NotRun where a cone has an friction_offset.
ConeResult solve_interior_point(const ConeProblem& problem, const InteriorPointSettings& settings,
                                ConeWorkspace& work, ConeIterate& iterate);

}  // namespace amontons
