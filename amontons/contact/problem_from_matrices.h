#pragma once

#include "amontons/contact/contact_problem.h"

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include <vector>

namespace amontons {

/// Holds a contact problem as matrices and vectors, without bodies and shapes:
///
///   M (v+ - v_free) = J'p + G'c,   u = J v+ + bias,   G v+ = target
///
/// with the contact law between p and u at the gap speeds s = gap / step.
struct ProblemMatrices {
  Eigen::SparseMatrix<double> M;  ///< [nv x nv], symmetric positive definite
  Eigen::SparseMatrix<double> J;  ///< [3 nc x nv], rows (t1, t2, n) of each contact
  Eigen::VectorXd free_velocity;  ///< v_free [nv]
  Eigen::VectorXd velocity;       ///< v at the start [nv]; empty: v_free
  Eigen::VectorXd friction;       ///< mu [nc]
  Eigen::VectorXd restitution;    ///< e [nc]; empty: none
  Eigen::VectorXd gap;            ///< [nc] [m]; empty: zero
  Eigen::VectorXd bias;           ///< [3 nc] [m/s]; empty: zero
  Eigen::SparseMatrix<double> G;  ///< [nj x nv]; without rows: no joints
  Eigen::VectorXd target;         ///< [nj]; empty: zero
  double step = 1.0;              ///< h [s], > 0; 0 for an impact
};

/// Returns the first row of each group of rows that a mass matrix couples, ascending, and the end.
std::vector<Eigen::Index> block_starts(const Eigen::SparseMatrix<double>& M);

/// Returns the problem. The blocks of M are the smallest ranges of rows that M couples.
/// @throws std::invalid_argument naming what does not fit.
ContactProblem problem_from_matrices(const ProblemMatrices& matrices);

}  // namespace amontons
