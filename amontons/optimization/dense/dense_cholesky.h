#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace amontons {

/// Factors a dense symmetric positive definite matrix as L L'. Eigen's factorization of thousands
/// of rows takes seconds; this one runs in panels, between which it can be stopped.
class DenseCholesky {
 public:
  /// Factors a matrix, of which the lower triangle is read.
  /// @returns false where it is not positive definite.
  /// @throws Stopped where the thread is asked to stop.
  bool factor(const Eigen::Ref<const Eigen::MatrixXd>& matrix);

  /// Returns A^-1 b for one or more columns b [n x k].
  template <typename Derived>
  typename Derived::PlainObject solve(const Eigen::MatrixBase<Derived>& b) const {
    if (is_small()) return small_.solve(b);
    typename Derived::PlainObject x = b;
    L_.triangularView<Eigen::Lower>().solveInPlace(x);
    L_.triangularView<Eigen::Lower>().adjoint().solveInPlace(x);
    return x;
  }

 private:
  bool is_small() const { return L_.size() == 0; }

  // Factor of a matrix that fits in one panel; that of none can be copied, too.
  Eigen::LLT<Eigen::MatrixXd> small_{Eigen::MatrixXd(0, 0)};
  Eigen::MatrixXd L_;  // [n x n] of a larger one, lower triangle; else empty
};

}  // namespace amontons
