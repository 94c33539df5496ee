#pragma once

#include "amontons/optimization/ccp/cone_iterate.h"

namespace amontons {

/// Says when the method ends, and where it begins.
struct InteriorPointSettings {
  double tolerance = 1e-8;  ///< bound of the residual [-]
  int max_iterations = 80;  ///< one factorization each
  /// Share of the iterate in the first point, in [0, 1), the rest is from scratch [Skajaa,
  /// Andersen, Ye 2013]: on round cones, a third fewer steps from a point nearby.
  double warm_share = 0.0;
};

/// Compliance [-] of rows of equalities in interior methods, which solve u = -this dr.
inline constexpr double kEqualitySoftness = 1e-9;

/// Runs a primal-dual interior point method with Nesterov-Todd scaling [Nesterov, Todd 1997], for
///
///   r in K,  y = u + mu g(u_t) n in K*,  r . y = 0,   u = W r + q,
///
/// g = 0 for the associated law (a convex cone program) and g = sqrt(|u_t|^2 + eps^2) for Coulomb's
/// [De Saxce, Feng 1998]. eps decreases to zero with the gap, and each step has the whole Jacobian.
/// The number of steps is nearly independent of size. The method can use little of a warm start. It
/// loses digits near 1e-9 on redundant contacts, where its points come to lie on the boundary of
/// their cones by rounding (NumericalFailure): finish with Newton. It leaves the best point seen
/// or, from scratch, the iterate's own where that is better.
///
/// @returns NotRun where a cone has a friction_offset.
ConeResult solve_interior_point(const ConeProblem& problem, const InteriorPointSettings& settings,
                                ConeWorkspace& work, ConeIterate& iterate);

}  // namespace amontons
