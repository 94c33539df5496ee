#pragma once

#include <Eigen/Core>

namespace amontons {

// Decompositions that take a compiler seconds, for callers that need them once in a while.

struct SymmetricEigen {
  Eigen::VectorXd values;   ///< [n], ascending
  Eigen::MatrixXd vectors;  ///< [n x n], one in each column
};

/// Eigenvalues and orthonormal eigenvectors of a symmetric matrix; reads the lower triangle.
SymmetricEigen symmetric_eigen(const Eigen::Ref<const Eigen::MatrixXd>& matrix);

/// Eigenvalues of a symmetric matrix [n], ascending; reads the lower triangle.
Eigen::VectorXd symmetric_eigenvalues(const Eigen::Ref<const Eigen::MatrixXd>& matrix);

/// The shortest x that minimizes |A x - b|. Pivots below `rank_tolerance` times the largest count
/// as zero.
Eigen::VectorXd least_norm_solution(const Eigen::Ref<const Eigen::MatrixXd>& A,
                                    const Eigen::Ref<const Eigen::VectorXd>& b,
                                    double rank_tolerance);

}  // namespace amontons
