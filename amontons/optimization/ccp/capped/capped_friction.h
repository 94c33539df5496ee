#pragma once

#include "amontons/optimization/ccp/capped/capped_contacts.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Describes a scalar row of the friction problem besides contacts: a drive, a stop or dry friction
/// of a joint, with impulse f and velocity w = (W x + q)_row. On its present side it either holds,
/// w = 0 with lower <= f <= upper, or it has the impulse of a bound and keeps the sign of w.
struct CappedFrictionRow {
  bool holds = false;
  double lower = 0.0, upper = 0.0;  ///< bounds of f; equal where the row is at a bound
  double sign = 0.0;                ///< at a bound: sign w >= 0; 0: no condition
};

/// States the friction problem of maximum dissipation [Drumwright, Shell 2010, QP2, with errata
/// DS-1, DS-2, DS-5 and DS-6] for given sides of its rows:
///
///   min 1/2 x'W x + q'x,  x = (r, f)   subject to   r_i in K_i,   (W r)_n + c >= 0,
///   a'r_n <= cap,   and the conditions of the rows,
///
/// blocks of three entries (t1, t2, n), then the rows, K_i = { r_n >= 0, |r_t| <= mu r_n +
/// friction_offset }. It is scaled like a ConeProblem, so that trace(W_ii) is 3 for contacts and
/// W_ii 1 for rows. It is convex. Often no point is strictly feasible: a body at rest needs the
/// whole cap.
///
/// With lambda the multipliers of (W r)_n + c >= 0, phi those of the rows' w and the velocity
/// gamma = W x + q - W_(:,n) lambda - W_(:,rows) phi + price a n  the optimality conditions are
///
///   r = P_K(r - gamma_r),  0 <= lambda perp (W x)_n + c >= 0,  0 <= price perp cap - a'r_n >= 0,
///   row that holds:   w = 0,  f = Proj_[lower, upper](f - gamma_f),
///   row at a bound:   0 <= sign phi perp sign w >= 0.
struct CappedFrictionProblem : CappedContacts {
  Eigen::MatrixXd W;                    ///< [3 n + m x 3 n + m], symmetric positive semidefinite
  std::vector<CappedFrictionRow> rows;  ///< [m]
};

/// Returns the largest residual of the natural maps, and writes it to point.residual.
double measure_residual(const CappedFrictionProblem& problem, CappedFrictionPoint& point);

/// Runs an interior point method (conic_qp.h), then semismooth Newton on the natural maps. A small
/// multiple of the unit inside the matrix shifts the monotone system: a proximal point iteration
/// [Rockafellar 1976, monotone operators]. Redundant contacts and unbounded multipliers then do no
/// harm. O(n^3).
CappedFrictionResult solve_capped_friction(const CappedFrictionProblem& problem,
                                           const CappedFrictionSettings& settings,
                                           CappedFrictionPoint& point);

}  // namespace amontons
