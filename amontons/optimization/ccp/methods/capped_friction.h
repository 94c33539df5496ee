#pragma once

#include "amontons/math/solve_status.h"
#include "amontons/optimization/ccp/cone_problem.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// The friction problem of maximum dissipation [Drumwright, Shell 2010, QP2, with errata DS-1,
/// DS-2, DS-5 and DS-6]:
///
///   min 1/2 r'W r + q'r   subject to   r_i in K_i,   (W r)_n + c >= 0,   a'r_n <= cap,
///
/// blocks of three rows (t1, t2, n), K_i = { r_n >= 0, |r_t| <= mu r_n + friction_offset }. Scaled
/// like a ConeProblem, so that trace(W_ii) is 3. It is convex; often nothing is strictly feasible:
/// a body at rest needs the whole cap.
struct CappedFrictionProblem {
  Eigen::MatrixXd W;         ///< [3 n x 3 n], symmetric positive semidefinite
  Eigen::VectorXd q;         ///< [3 n]
  Eigen::VectorXd c;         ///< [n] normal speeds at r = 0
  std::vector<Cone> cones;   ///< [n], kind Friction
  std::vector<char> closed;  ///< [n] r_i = 0 here; the normal condition holds all the same
  Eigen::VectorXd weights;   ///< a [n], >= 0, at most 1; 0: outside the cap
  double cap = 0.0;          ///< >= 0; at 0 no contact under it may have a normal part
};

/// A point with its multipliers. With the velocity  gamma = W r + q - W_(:,n) lambda + price a n
/// the optimality conditions are  r = P_K(r - gamma),  0 <= lambda perp (W r)_n + c >= 0, 0 <=
/// price perp cap - a'r_n >= 0.
struct CappedFrictionPoint {
  Eigen::VectorXd r;            ///< [3 n]
  Eigen::VectorXd multipliers;  ///< lambda [n]
  double price = 0.0;
  double residual = 0.0;  ///< largest entry of the natural maps of these conditions
};

/// Largest residual of the natural maps; also written to point.residual.
double measure_residual(const CappedFrictionProblem& problem, CappedFrictionPoint& point);

struct CappedFrictionSettings {
  double tolerance = 1e-10;        ///< of the residual over the largest of |q|, |c|: what is owed
  double target_residual = 1e-14;  ///< of the same: what Newton goes on to
  int max_interior_steps = 60, max_newton_steps = 60;
};

struct CappedFrictionResult {
  SolveStatus status = SolveStatus::NotRun;  ///< Converged or Stalled
  int interior_steps = 0, newton_steps = 0;
};

/// Interior point (conic_qp.h), then semismooth Newton on the natural maps, in which the monotone
/// system is shifted by a small multiple of the unit inside the matrix: a proximal point iteration
/// [Rockafellar 1976, monotone operators], so that redundant contacts and unbounded multipliers do
/// no harm. O(n^3).
CappedFrictionResult solve_capped_friction(const CappedFrictionProblem& problem,
                                           const CappedFrictionSettings& settings,
                                           CappedFrictionPoint& point);

}  // namespace amontons
