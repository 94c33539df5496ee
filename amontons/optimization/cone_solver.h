#pragma once

#include "amontons/math/solve_status.h"
#include "amontons/optimization/associated_contact.h"
#include "amontons/optimization/cone_problem.h"
#include "amontons/optimization/one_contact.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// An iterate of a cone problem. Every solver starts from it and leaves its best one there, except
/// Gauss-Seidel, which leaves its last.
struct ConeIterate {
  Eigen::VectorXd r;    ///< [3 n], inside the cones
  Eigen::VectorXd u;    ///< W r + q, recomputed from r
  double figure = 0.0;  ///< the larger of largest_figure() and work_scale r . u
};

struct ConeResult {
  SolveStatus status =
      SolveStatus::NotRun;  ///< Converged, IterationLimit, Stalled, NumericalFailure
  int iterations = 0;
};

/// Working memory of the cone solvers, kept from call to call; what it holds between calls does not
/// matter.
struct ConeWorkspace {
  Eigen::VectorXd c, du, dr, y, trial_r, trial_u;
  std::vector<Eigen::Matrix3d> D;
  std::vector<int> order;                     // of all contacts in sweeps
  std::vector<int> closed;                    // those that may carry something
  std::vector<OneContact> contacts;           // of sweeps
  std::vector<AssociatedContact> associated;  // of sweeps under the associated law
  std::vector<double> history;
  ConeIterate guess, swept, inner, point;  // of the ladder
  ConeIterate present, candidate;          // of Newton's method
};

/// Recomputes u and figure of an iterate from its r.
void evaluate(const ConeProblem& problem, ConeIterate& iterate);

/// The free motion: r = 0, u = q.
void start_from_zero(const ConeProblem& problem, ConeIterate& iterate);

/// Keeps the better of both.
void keep_best(const ConeIterate& candidate, ConeIterate& best);

}  // namespace amontons
