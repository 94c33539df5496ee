#pragma once

#include "amontons/optimization/ccp/cone_iterate.h"

namespace amontons {

/// Says when the path ends.
struct CentralPathSettings {
  double tolerance = 1e-8;  ///< bound of the residual [-]
  int max_steps = 200;      ///< one factorization each
};

/// Follows the curve of points (r, y, tau) with
///
///   y = u + mu g(u_t) n + tau d,   r o y = tau e,   g = sqrt(|u_t|^2 + eps^2), eps ~ tau
///
/// by its arc length, from tau = 1, where d makes the starting point one of them, towards the
/// solution at tau = 0. Friction is not monotone, so the curve may turn back. Then tau grows for a
/// while, where a method that only decreases tau would stall. Each step goes along the tangent,
/// back to the curve, and along its curvature [Allgower, Georg 2003, chapters 2 and 6]. Each time
/// the residual halves, sweeps and Newton's method try to finish.
///
/// Heaps of rolling and sliding balls need it. It starts from scratch and leaves the best point
/// seen, or the iterate's own where that is better.
///
/// @returns NotRun where a cone has a friction_offset.
ConeResult follow_central_path(const ConeProblem& problem, const CentralPathSettings& settings,
                               ConeWorkspace& work, ConeIterate& iterate);

}  // namespace amontons
