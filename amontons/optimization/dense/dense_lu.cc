#include "amontons/optimization/dense/dense_lu.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace amontons {
namespace {

using Eigen::Index;

constexpr Index kBlocked = 64;  // rows from which on a blocked factorization is faster

/// Computes y <- y - a x.
void subtract(double* __restrict y, double a, const double* __restrict x, Index n) {
  for (Index i = 0; i < n; ++i) y[i] -= a * x[i];
}

constexpr Index kGroup = 4;  // columns whose parts are taken off a column in one pass

/// Computes y <- y - a_0 x_0 - ... - a_3 x_3, from left to right, for columns x_k that are `stride`
/// apart.
void subtract_group(double* __restrict y, const double* a, const double* __restrict x, Index stride,
                    Index n) {
  const double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
  const double *x0 = x, *x1 = x + stride, *x2 = x + 2 * stride, *x3 = x + 3 * stride;
  for (Index i = 0; i < n; ++i) {
    y[i] = y[i] - a0 * x0[i] - a1 * x1[i] - a2 * x2[i] - a3 * x3[i];
  }
}

/// Solves L u = y for the first m rows of a column, and takes L u off the others: the column as the
/// elimination of m columns leaves it.
/// @param L  columns of n rows.
void eliminate(const double* L, Index n, Index m, double* y) {
  Index k = 0;
  for (; k + kGroup <= m; k += kGroup) {
    const double* group = L + k * n;
    for (Index own = k; own < k + kGroup; ++own) {
      subtract(y + own + 1, y[own], L + own * n + own + 1, k + kGroup - own - 1);
    }
    if (y[k] == 0.0 && y[k + 1] == 0.0 && y[k + 2] == 0.0 && y[k + 3] == 0.0) continue;
    subtract_group(y + k + kGroup, y + k, group + k + kGroup, n, n - k - kGroup);
  }
  for (; k < m; ++k) subtract(y + k + 1, y[k], L + k * n + k + 1, n - k - 1);
}

}  // namespace

Eigen::Map<Eigen::MatrixXd> DenseLu::reset(Index n) {
  size_ = n;
  values_.setZero(n, n);
  return {values_.data(), n, n};
}

void DenseLu::exchange_rows(double* column) const {
  for (const auto& [row, other] : exchanges_) std::swap(column[row], column[other]);
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
  exchanges_.clear();
  double* a = values_.data();
  for (Index k = 0; k < n; ++k) {
    double* column = a + k * n;
    // The exchanges and eliminations of the columns before.
    exchange_rows(column);
    eliminate(a, n, k, column);
    // Partial pivoting: the largest entry of the column.
    Index pivot = k;
    for (Index i = k + 1; i < n; ++i) {
      if (std::abs(column[i]) > std::abs(column[pivot])) pivot = i;
    }
    if (!(std::abs(column[pivot]) > 0.0) || !std::isfinite(column[pivot])) return false;
    if (pivot != k) {
      exchanges_.emplace_back(k, pivot);
      for (Index j = 0; j <= k; ++j) std::swap(a[k + j * n], a[pivot + j * n]);
    }
    // Column of L.
    const double inverse = 1.0 / column[k];
    for (Index i = k + 1; i < n; ++i) column[i] *= inverse;
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
  int sign = exchanges_.size() % 2 == 0 ? 1 : -1;
  for (Index k = 0; k < size_; ++k) {
    if (values_(k, k) < 0.0) sign = -sign;
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
  exchange_rows(x.data());
  eliminate(a, n, n, x.data());
  for (Index k = n - 1; k >= 0; --k) {
    x(k) /= a[k + k * n];
    subtract(x.data(), x(k), a + k * n, k);
  }
}

}  // namespace amontons
