#pragma once

#include "amontons/math/solve_status.h"
#include "amontons/optimization/ccp/cone_problem.h"
#include "amontons/optimization/ccp/free_body_rows.h"
#include "amontons/optimization/ccp/restricted_problem.h"
#include "amontons/optimization/ccp/row_sweeps.h"
#include "amontons/optimization/ccp/single_associated_contact.h"
#include "amontons/optimization/ccp/single_coulomb_contact.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Holds an iterate of a cone problem. Every solver starts from it and leaves its best one there,
/// except Gauss-Seidel, which leaves its last.
struct ConeIterate {
  Eigen::VectorXd r;      ///< [3 n] reaction [sqrt(J)], inside the cones
  Eigen::VectorXd u;      ///< [3 n] W r + q [sqrt(J)], recomputed from r
  double residual = 0.0;  ///< the larger of largest_residual() and work_scale r . u [-]
};

/// Says how a method ended.
struct ConeResult {
  SolveStatus status =
      SolveStatus::NotRun;  ///< Converged, IterationLimit, Stalled, NumericalFailure
  int iterations = 0;       ///< number of iterations
};

/// Holds the working memory of the cone solvers, kept from call to call. Its contents between calls
/// do not matter.
struct ConeWorkspace {
  Eigen::VectorXd c, du, dr, y, trial_r, trial_u;  ///< [3 nc] right-hand sides, steps and trials
  std::vector<Eigen::Matrix3d> D;                  ///< [nc] blocks of the kernel
  /// All contacts, in the order of sweeps.
  std::vector<int> order;
  /// Contacts that may carry something.
  std::vector<int> closed;
  /// Contacts as sweeps solve them under Coulomb's law.
  std::vector<SingleCoulombContact> contacts;
  /// Contacts as sweeps solve them under the associated law.
  std::vector<SingleAssociatedContact> associated;
  /// The rows of contacts between free bodies, where all are.
  FreeBodyRows rows;
  bool has_rows = false;        ///< true: sweeps go over `rows`, else over the operator
  RowSweeps row_sweeps;         ///< sweeps with momentum over contacts between free bodies
  Eigen::VectorXd change;       ///< [3 nc] change of r by the last sweep, at the contacts it visits
  std::vector<double> history;  ///< residuals of recent iterations
  /// Iterates of the cone problem solver.
  ConeIterate guess, swept, inner, point;
  /// The near contacts of a heap as a problem of their own.
  RestrictedProblem restricted;
  ConeIterate part;       ///< iterate of the restricted problem
  std::vector<int> near;  ///< contacts of the next restricted problem
  /// Iterates of Newton's method.
  ConeIterate present, candidate;
};

/// Recomputes u and residual of an iterate from its r.
void evaluate(const ConeProblem& problem, ConeIterate& iterate);

/// Starts from the free motion: r = 0, u = q.
void start_from_zero(const ConeProblem& problem, ConeIterate& iterate);

/// Sets the reactions of contacts that open to zero, so that they carry exactly nothing. u and the
/// residual stay.
/// @returns true if a reaction has changed.
bool drop_open_reactions(const ConeProblem& problem, ConeIterate& iterate);

/// Keeps the better iterate of both in `best`.
void keep_best(const ConeIterate& candidate, ConeIterate& best);

}  // namespace amontons
