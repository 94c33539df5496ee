#include "amontons/optimization/sparse/dense_lu.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace amontons {
namespace {

using Eigen::Index;

constexpr Index kBlocked = 64;  // rows from which on a blocked factorization is faster

/// Computes y <- y - a x.
void subtract(double* y, double a, const double* x, Index n) {
  for (Index i = 0; i < n; ++i) y[i] -= a * x[i];
}

}  // namespace

Eigen::Map<Eigen::MatrixXd> DenseLu::reset(Index n) {
  size_ = n;
  values_.setZero(n, n);
  return {values_.data(), n, n};
}

bool DenseLu::factor() {
  const Index n = size_;
  if (n == 0) return true;
  // Large matrices: Eigen's blocked factorization, with the same pivoting by columns.
  if (n >= kBlocked) {
    blocked_.compute(values_);
    const auto pivots = blocked_.matrixLU().diagonal();
    return pivots.allFinite() && pivots.cwiseAbs().minCoeff() > 0.0;
  }
  pivots_.resize(static_cast<std::size_t>(n));
  double* a = values_.data();
  for (Index k = 0; k < n; ++k) {
    double* column = a + k * n;
    // Partial pivoting: the largest entry of the column.
    Index pivot = k;
    for (Index i = k + 1; i < n; ++i) {
      if (std::abs(column[i]) > std::abs(column[pivot])) pivot = i;
    }
    pivots_[static_cast<std::size_t>(k)] = pivot;
    if (!(std::abs(column[pivot]) > 0.0) || !std::isfinite(column[pivot])) return false;
    if (pivot != k) {
      for (Index j = 0; j < n; ++j) std::swap(a[k + j * n], a[pivot + j * n]);
    }
    // Column of L, then the outer product L(:, k) U(k, :) from the rest.
    const double inverse = 1.0 / column[k];
    for (Index i = k + 1; i < n; ++i) column[i] *= inverse;
    for (Index j = k + 1; j < n; ++j) {
      double* other = a + j * n;
      if (other[k] != 0.0) subtract(other + k + 1, other[k], column + k + 1, n - k - 1);
    }
  }
  return true;
}

int DenseLu::determinant_sign() const {
  // The product of the signs of the pivots; each exchange of rows changes it.
  if (size_ >= kBlocked) {
    int sign = blocked_.permutationP().determinant() < 0 ? -1 : 1;
    for (Index k = 0; k < size_; ++k) {
      if (blocked_.matrixLU()(k, k) < 0.0) sign = -sign;
    }
    return sign;
  }
  int sign = 1;
  for (Index k = 0; k < size_; ++k) {
    if (values_(k, k) < 0.0) sign = -sign;
    if (pivots_[static_cast<std::size_t>(k)] != k) sign = -sign;
  }
  return sign;
}

void DenseLu::solve(Eigen::VectorXd& x) const {
  const Index n = size_;
  if (n == 0) return;
  if (n >= kBlocked) {
    x = blocked_.solve(x);
    return;
  }
  const double* a = values_.data();
  // P A = L U: exchange rows, forward substitution, back substitution.
  for (Index k = 0; k < n; ++k) std::swap(x(k), x(pivots_[static_cast<std::size_t>(k)]));
  for (Index k = 0; k < n; ++k) subtract(x.data() + k + 1, x(k), a + k * n + k + 1, n - k - 1);
  for (Index k = n - 1; k >= 0; --k) {
    x(k) /= a[k + k * n];
    subtract(x.data(), x(k), a + k * n, k);
  }
}

}  // namespace amontons
