#pragma once

#include "amontons/optimization/ccp/methods/cone_interior_point.h"

namespace amontons {

/// Runs a primal-dual interior point method for laws on polygons, as the complementarity problem of
/// Stewart-Trinkle and Anitescu-Potra [Anitescu, Potra 1997, eq. 2.12] in z = (r_n, beta, lambda)
/// per contact,
///
///   0 <= r_n   perp  u_n [- mu lambda]              >= 0
///   0 <= beta  perp  d_k . u_t + lambda             >= 0,     r_t = sum_k beta_k d_k
///   0 <= lambda perp mu r_n + friction_offset - sum_k beta_k >= 0,     u = W r + q,
///
/// the bracket for the associated law, which is a convex quadratic program. Coulomb's law is not
/// monotone, and the method may stall. The unknowns of a contact are eliminated against its u, so
/// that a step costs as much as one of Newton's method on cones. It starts from scratch and leaves
/// the best point seen, or the iterate's own where that is better; finish with Newton.
///
/// @param start  size of the first point in the problem's own scale, > 0. Where the law is not
/// monotone, another size may lead past the end of a path.
/// @returns NotRun where a friction cone has no polygon.
ConeResult solve_polygon_interior_point(const ConeProblem& problem,
                                        const InteriorPointSettings& settings, double start,
                                        ConeWorkspace& work, ConeIterate& iterate);

}  // namespace amontons
