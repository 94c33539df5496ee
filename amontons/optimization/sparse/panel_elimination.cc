#include "amontons/optimization/sparse/panel_elimination.h"

#include "amontons/optimization/sparse/panel_product.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace amontons {
namespace {

using Eigen::Index;
using Column = Eigen::Map<Eigen::VectorXd>;
using Block = Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

constexpr double kSmallestPivot = 1e-14;  // share of the block's largest entry: below is rounding

/// Factors A -> L U with row exchanges; returns false where a pivot is rounding.
bool factor_lu(double* A, Index n, Index stride, int* pivots) {
  const double smallest =
      kSmallestPivot * Block(A, n, n, Eigen::OuterStride<>(stride)).cwiseAbs().maxCoeff();
  for (Index k = 0; k < n; ++k) {
    double* column = A + k * stride;
    // Partial pivoting inside the block.
    Index best = k;
    for (Index i = k + 1; i < n; ++i) {
      if (std::abs(column[i]) > std::abs(column[best])) best = i;
    }
    if (!(std::abs(column[best]) > smallest)) return false;
    pivots[k] = static_cast<int>(best);
    for (Index j = 0; best != k && j < n; ++j) std::swap(A[j * stride + k], A[j * stride + best]);
    // Column of L, then the outer product from the rest.
    const double inverse = 1.0 / column[k];
    for (Index i = k + 1; i < n; ++i) column[i] *= inverse;
    for (Index j = k + 1; j < n; ++j) {
      double* other = A + j * stride;
      for (Index i = k + 1; i < n; ++i) other[i] -= column[i] * other[k];
    }
  }
  return true;
}

/// Factors A -> L L' in the lower triangle; returns false where a pivot is not positive.
bool factor_cholesky(double* A, Index n, Index stride) {
  for (Index k = 0; k < n; ++k) {
    double* column = A + k * stride;
    if (!(column[k] > 0.0) || !std::isfinite(column[k])) return false;
    column[k] = std::sqrt(column[k]);
    const double inverse = 1.0 / column[k];
    for (Index i = k + 1; i < n; ++i) column[i] *= inverse;
    for (Index j = k + 1; j < n; ++j) {
      double* other = A + j * stride;
      for (Index i = j; i < n; ++i) other[i] -= column[i] * column[j];
    }
  }
  return true;
}

/// Factors A -> L S L' in the lower triangle; returns false where a pivot is zero or not finite.
bool factor_signed_cholesky(double* A, Index n, Index stride, double* signs) {
  for (Index k = 0; k < n; ++k) {
    double* column = A + k * stride;
    if (column[k] == 0.0 || !std::isfinite(column[k])) return false;
    signs[k] = column[k] > 0.0 ? 1.0 : -1.0;
    column[k] = std::sqrt(std::abs(column[k]));
    const double inverse = signs[k] / column[k];
    for (Index i = k + 1; i < n; ++i) column[i] *= inverse;
    for (Index j = k + 1; j < n; ++j) {
      double* other = A + j * stride;
      const double scaled = signs[k] * column[j];
      for (Index i = j; i < n; ++i) other[i] -= column[i] * scaled;
    }
  }
  return true;
}

/// Computes x -= sum over k < count of Y(:, k) z(k), the columns of one stride.
void subtract_columns(double* x, Index rows, const double* Y, const double* z, Index count,
                      Index stride) {
  for (Index k = 0; k < count; ++k) {
    Column(x, rows) -= z[k * stride] * Eigen::Map<const Eigen::VectorXd>(Y + k * stride, rows);
  }
}

}  // namespace

void solve_diagonal_block(const double* D, Index size, Index stride, const int* pivots, double* X,
                          Index rows, Index stride_X) {
  // Row exchanges of D, then L and U of D, each on whole columns of X.
  const auto column = [&](Index k) { return Column(X + k * stride_X, rows); };
  for (Index k = 0; k < size; ++k) {
    if (pivots[k] != k) column(k).swap(column(pivots[k]));
  }
  for (Index k = 0; k < size; ++k) {
    for (Index i = k + 1; i < size; ++i) column(i) -= D[k * stride + i] * column(k);
  }
  for (Index k = size; k-- > 0;) {
    column(k) *= 1.0 / D[k * stride + k];
    for (Index i = 0; i < k; ++i) column(i) -= D[k * stride + i] * column(k);
  }
}

bool PanelElimination::factor(double* lower, double* upper, std::span<const int> sizes, Index rows,
                              Index stride, int* pivots) {
  Index height = rows;  // rows from the present column on
  for (const int size : sizes) height += size;
  Index first = 0;  // column of a chunk of nodes that are updated together
  for (std::size_t node = 0; node < sizes.size();) {
    // Chunk: nodes whose columns fit one tile are updated by one product of panels.
    std::size_t end = node;
    Index columns = 0;
    do {
      columns += sizes[end++];
    } while (end < sizes.size() && columns + sizes[end] <= kTileColumns);
    double *L = lower + first * stride, *U = upper + first * stride;
    if (first > 0) {
      subtract_earlier(L + first, lower + first, upper + first, height, columns, first, stride);
      subtract_earlier(U + first, upper + first, lower + first, height, columns, first, stride);
    }
    for (Index own = first; node < end; ++node) {
      // Inside the chunk: node by node, with the columns of the nodes before it in the chunk.
      const Index size = sizes[node], below = height - size;
      double *D = lower + own * stride + own, *right = upper + own * stride + own + size;
      for (Index j = 0; j < size; ++j) {
        subtract_columns(D + j * stride, height, L + own, U + own + j, own - first, stride);
        subtract_columns(right + j * stride, below, U + own + size, L + own + j, own - first,
                         stride);
      }
      // D -> L U, and the rows of U: D^-1 A.
      if (!factor_lu(D, size, stride, pivots + own)) return false;
      if (below > 0) solve_diagonal_block(D, size, stride, pivots + own, right, below, stride);
      own += size;
      height = below;
    }
    first += columns;
  }
  return true;
}

bool PanelElimination::factor_symmetric(double* lower, Index columns, Index rows, Index stride) {
  // Columns in chunks of one tile: update by all earlier columns, then factor the chunk.
  for (Index first = 0; first < columns; first += kTileColumns) {
    const Index size = std::min(kTileColumns, columns - first);
    const Index below = columns + rows - first - size;
    double* D = lower + first * stride + first;
    if (first > 0) {
      subtract_earlier(D, lower + first, lower + first, size + below, size, first, stride);
    }
    if (!factor_cholesky(D, size, stride)) return false;
    // Rows below the chunk: X <- X L^-T, column by column.
    for (Index j = 0; j < size; ++j) {
      double* x = D + j * stride + size;
      subtract_columns(x, below, D + size, D + j, j, stride);
      Column(x, below) *= 1.0 / D[j * stride + j];
    }
  }
  return true;
}

bool PanelElimination::factor_quasidefinite(double* lower, double* upper, double* signs,
                                            Index columns, Index rows, Index stride) {
  // As factor_symmetric(), with the products of earlier columns by L and L S.
  for (Index first = 0; first < columns; first += kTileColumns) {
    const Index size = std::min(kTileColumns, columns - first);
    const Index below = columns + rows - first - size;
    double *D = lower + first * stride + first, *own = upper + first * stride + first;
    if (first > 0) {
      subtract_earlier(D, lower + first, upper + first, size + below, size, first, stride);
    }
    if (!factor_signed_cholesky(D, size, stride, signs + first)) return false;
    // Rows below the chunk: X <- X L^-T S, column by column, and the chunk's part of L S.
    for (Index j = 0; j < size; ++j) {
      const double sign = signs[first + j];
      double* x = D + j * stride + size;
      Column(own + j * stride, size) = sign * Column(D + j * stride, size);
      subtract_columns(x, below, D + size, own + j, j, stride);
      Column(x, below) *= sign / D[j * stride + j];
      Column(own + j * stride + size, below) = sign * Column(x, below);
    }
  }
  return true;
}

void PanelElimination::subtract_earlier(double* X, const double* Y, const double* Z, Index rows,
                                        Index columns, Index inner, Index stride) {
  // The product is rounded up to whole tiles; only the rows and columns asked for are subtracted.
  const Index stride_product = round_up(rows, kTileRows);
  const std::size_t size =
      static_cast<std::size_t>(stride_product * round_up(columns, kTileColumns));
  if (product_.size() < size) product_.resize(size);
  multiply_by_transposed({Y, stride}, {Z, stride}, rows, columns, inner, product_.data(),
                         stride_product);
  for (Index j = 0; j < columns; ++j) {
    Column(X + j * stride, rows) -= Column(product_.data() + j * stride_product, rows);
  }
}

}  // namespace amontons
