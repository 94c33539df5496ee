#pragma once

#include "amontons/math/solve_status.h"
#include "amontons/optimization/ccp/cone_problem.h"
#include "amontons/optimization/ccp/restricted_problem.h"
#include "amontons/optimization/ccp/single_associated_contact.h"
#include "amontons/optimization/ccp/single_coulomb_contact.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// An iterate of a cone problem. Every solver starts from it and leaves its best one there, except
/// Gauss-Seidel, which leaves its last.
struct ConeIterate {
  Eigen::VectorXd r;      ///< [3 n], inside the cones
  Eigen::VectorXd u;      ///< W r + q, recomputed from r
  double residual = 0.0;  ///< the larger of largest_residual() and work_scale r . u
};

/// What a method found.
struct ConeResult {
  SolveStatus status =
      SolveStatus::NotRun;  ///< Converged, IterationLimit, Stalled, NumericalFailure
  int iterations = 0;       ///< how many it took
};

/// Working memory of the cone solvers, kept from call to call; what it holds between calls does not
/// matter.
struct ConeWorkspace {
  Eigen::VectorXd c, du, dr, y, trial_r, trial_u;  ///< [3 nc] right-hand sides, steps and trials
  std::vector<Eigen::Matrix3d> D;                  ///< [nc] of the kernel
  /// Of all contacts in sweeps.
  std::vector<int> order;
  /// Those that may carry something.
  std::vector<int> closed;
  /// Of sweeps.
  std::vector<SingleCoulombContact> contacts;
  /// Of sweeps under the associated law.
  std::vector<SingleAssociatedContact> associated;
  std::vector<double> history;  ///< of the residuals of recent iterations
  /// Of the ladder.
  ConeIterate guess, swept, inner, point;
  /// A heap without the contacts that are far open.
  RestrictedProblem restricted;
  ConeIterate part;       ///< of the restricted problem
  std::vector<int> near;  ///< contacts of the restricted problem to be
  /// Of Newton's method.
  ConeIterate present, candidate;
};

/// Recomputes u and residual of an iterate from its r.
void evaluate(const ConeProblem& problem, ConeIterate& iterate);

/// The free motion: r = 0, u = q.
void start_from_zero(const ConeProblem& problem, ConeIterate& iterate);

/// Keeps the better of both.
void keep_best(const ConeIterate& candidate, ConeIterate& best);

}  // namespace amontons
