#include "amontons/optimization/panel_elimination.h"

#include "amontons/math/panel_product.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Index;
using Column = Eigen::Map<Eigen::VectorXd>;

constexpr double kSmallestPivot = 1e-14;  // relative to the largest entry of its column

/// A -> L U with row exchanges.
bool factor_lu(double* A, Index n, Index stride, int* pivots) {
  for (Index k = 0; k < n; ++k) {
    // Left-looking: the column as given is still known when its pivot is judged.
    double* column = A + k * stride;
    double largest = 0.0;
    for (Index i = 0; i < n; ++i) largest = std::max(largest, std::abs(column[i]));
    for (Index j = 0; j < k; ++j) std::swap(column[j], column[pivots[j]]);
    for (Index j = 0; j < k; ++j) {
      Column(column + j + 1, n - j - 1) -= column[j] * Column(A + j * stride + j + 1, n - j - 1);
    }
    Index best = k;
    for (Index i = k + 1; i < n; ++i) {
      if (std::abs(column[i]) > std::abs(column[best])) best = i;
    }
    if (!(std::abs(column[best]) > kSmallestPivot * largest)) return false;
    pivots[k] = static_cast<int>(best);
    std::swap(column[k], column[best]);
    for (Index j = 0; best != k && j < k; ++j) std::swap(A[j * stride + k], A[j * stride + best]);
    Column(column + k + 1, n - k - 1) *= 1.0 / column[k];
  }
  return true;
}

/// A -> L L', the lower triangle.
bool factor_cholesky(double* A, Index n, Index stride) {
  for (Index k = 0; k < n; ++k) {
    double* column = A + k * stride;
    for (Index j = 0; j < k; ++j) {
      const double* earlier = A + j * stride;
      Column(column + k, n - k) -=
          earlier[k] * Eigen::Map<const Eigen::VectorXd>(earlier + k, n - k);
    }
    if (!(column[k] > 0.0) || !std::isfinite(column[k])) return false;
    column[k] = std::sqrt(column[k]);
    Column(column + k + 1, n - k - 1) *= 1.0 / column[k];
  }
  return true;
}

}  // namespace

bool PanelElimination::factor(double* lower, double* upper, Index columns, Index rows, Index stride,
                              int* pivots) {
  if (!factor_lu(lower, columns, stride, pivots)) return false;
  if (rows == 0) return true;
  const Index stride_U = round_up(columns, kTileColumns);
  transposed_.resize(static_cast<std::size_t>(stride_U * columns));
  for (Index k = 0; k < columns; ++k) {
    for (Index j = k; j < columns; ++j)
      transposed_[static_cast<std::size_t>(k * stride_U + j)] = lower[j * stride + k];
  }
  solve_right(lower + columns, rows, stride, transposed_.data(), stride_U, columns, false);
  double* below = upper + columns;
  for (Index k = 0; k < columns; ++k) {
    if (pivots[k] == k) continue;
    Column(below + k * stride, rows).swap(Column(below + pivots[k] * stride, rows));
  }
  solve_right(below, rows, stride, lower, stride, columns, true);
  return true;
}

bool PanelElimination::factor_symmetric(double* lower, Index columns, Index rows, Index stride) {
  if (!factor_cholesky(lower, columns, stride)) return false;
  if (rows > 0) solve_right(lower + columns, rows, stride, lower, stride, columns, false);
  return true;
}

/// X <- X R'^-1, R lower triangular [columns x columns], some columns of X at a time.
void PanelElimination::solve_right(double* X, Index rows, Index stride, const double* R,
                                   Index stride_R, Index columns, bool unit) {
  const Index stride_product = round_up(rows, kTileRows);
  const std::size_t size = static_cast<std::size_t>(stride_product * kTileColumns);
  if (product_.size() < size) product_.resize(size);
  for (Index first = 0; first < columns; first += kTileColumns) {
    const Index end = std::min(first + kTileColumns, columns);
    if (first > 0) {
      multiply_by_transposed({X, stride}, {R + first, stride_R}, rows, end - first, first,
                             product_.data(), stride_product);
    }
    for (Index j = first; j < end; ++j) {
      Column x(X + j * stride, rows);
      if (first > 0) x -= Column(product_.data() + (j - first) * stride_product, rows);
      for (Index k = first; k < j; ++k) x -= R[k * stride_R + j] * Column(X + k * stride, rows);
      if (!unit) x *= 1.0 / R[j * stride_R + j];
    }
  }
}

}  // namespace amontons
