#include "amontons/math/dense_decompositions.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace amontons {

SymmetricEigen symmetric_eigen(const Eigen::Ref<const Eigen::MatrixXd>& matrix) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Eigen::VectorXd symmetric_eigenvalues(const Eigen::Ref<const Eigen::MatrixXd>& matrix) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix, Eigen::EigenvaluesOnly)
      .eigenvalues();
}

Eigen::VectorXd least_norm_solution(const Eigen::Ref<const Eigen::MatrixXd>& A,
                                    const Eigen::Ref<const Eigen::VectorXd>& b,
                                    double rank_tolerance) {
  if (A.size() == 0) return Eigen::VectorXd::Zero(A.cols());  // Eigen does not decompose it
  // Rank-revealing QR on both sides gives the solution of least norm.
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
  decomposition.setThreshold(rank_tolerance);
  decomposition.compute(A);
  return decomposition.solve(b);
}

}  // namespace amontons
