#pragma once

#include <Eigen/Core>
#include <Eigen/LU>

#include <utility>
#include <vector>

namespace amontons {

/// Factors a dense matrix as L U with row exchanges, for the many small systems of second-order
/// methods: contiguous, in one order of operations, and memory is kept.
class DenseLu {
 public:
  /// Starts a matrix of zeros [n x n], to be filled before factor(). Valid until the next reset().
  Eigen::Map<Eigen::MatrixXd> reset(Eigen::Index n);

  /// Factors the matrix of the present entries.
  /// @returns false where a pivot is zero or not finite.
  bool factor();

  /// Returns the sign of the determinant of the matrix that was factored, 1 or -1.
  int determinant_sign() const;

  /// Computes x <- A^-1 x.
  void solve(Eigen::VectorXd& x) const;

 private:
  void exchange_rows(double* column) const;

  Eigen::Index size_ = 0;
  Eigen::MatrixXd values_;
  std::vector<std::pair<Eigen::Index, Eigen::Index>> exchanges_;  // of rows, in their order
  Eigen::PartialPivLU<Eigen::MatrixXd> blocked_;                  // factor of large matrices
};

}  // namespace amontons
