#pragma once

#include <Eigen/Core>

namespace amontons {

// Decompositions that take a compiler seconds, in a source of their own for the few that need them.

/// Holds the decomposition V diag(values) V' of a symmetric matrix.
struct SymmetricEigen {
  Eigen::VectorXd values;   ///< [n], ascending
  Eigen::MatrixXd vectors;  ///< [n x n], one per column, orthonormal
};

/// Returns eigenvalues and orthonormal eigenvectors of a symmetric matrix; reads the lower
/// triangle.
SymmetricEigen symmetric_eigen(const Eigen::Ref<const Eigen::MatrixXd>& matrix);

/// Returns the eigenvalues of a symmetric matrix [n], ascending; reads the lower triangle.
Eigen::VectorXd symmetric_eigenvalues(const Eigen::Ref<const Eigen::MatrixXd>& matrix);

/// Returns the shortest x that minimizes |A x - b|. Pivots below `rank_tolerance` times the largest
/// count as zero.
Eigen::VectorXd least_norm_solution(const Eigen::Ref<const Eigen::MatrixXd>& A,
                                    const Eigen::Ref<const Eigen::VectorXd>& b,
                                    double rank_tolerance);

}  // namespace amontons
