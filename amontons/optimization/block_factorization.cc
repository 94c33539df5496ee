#include "amontons/optimization/block_factorization.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Map;
using Eigen::MatrixXd;

constexpr double kSmallestPivot = 1e-14;  // relative to the largest entry of its diagonal block

template <int kSize>
using Square = Eigen::Matrix<double, kSize, kSize>;

/// C -= A B, six by six: two columns of C at a time stay in registers, summed up before they are
/// subtracted. Large heaps spend most of their time here.
void subtract_free_product(double* C, const double* A, const double* B) {
  using Pair [[gnu::vector_size(16)]] = double;
  const auto load = [](const double* from) {
    Pair pair;
    std::memcpy(&pair, from, sizeof(Pair));
    return pair;
  };
  const auto subtract = [&load](double* from, Pair sum) {
    const Pair difference = load(from) - sum;
    std::memcpy(from, &difference, sizeof(Pair));
  };
  for (int j = 0; j < 6; j += 2) {
    const double *b = B + 6 * j, *d = b + 6;
    Pair b0 = load(A) * b[0], b1 = load(A + 2) * b[0], b2 = load(A + 4) * b[0];
    Pair d0 = load(A) * d[0], d1 = load(A + 2) * d[0], d2 = load(A + 4) * d[0];
    for (int k = 1; k < 6; ++k) {
      const double* a = A + 6 * k;
      const Pair a0 = load(a), a1 = load(a + 2), a2 = load(a + 4);
      b0 += a0 * b[k], b1 += a1 * b[k], b2 += a2 * b[k];
      d0 += a0 * d[k], d1 += a1 * d[k], d2 += a2 * d[k];
    }
    double* c = C + 6 * j;
    subtract(c, b0), subtract(c + 2, b1), subtract(c + 4, b2);
    subtract(c + 6, d0), subtract(c + 8, d1), subtract(c + 10, d2);
  }
}

void subtract_contact_product(double* C, const double* A, const double* B) {
  using Square = Eigen::Matrix3d;
  Map<Square>(C).noalias() -= Map<const Square>(A).lazyProduct(Map<const Square>(B));
}

void subtract_product(double* C, const double* A, const double* B, int rows, int inner, int cols) {
  if (rows == 6 && inner == 6 && cols == 6) return subtract_free_product(C, A, B);
  if (rows == 3 && inner == 3 && cols == 3) return subtract_contact_product(C, A, B);
  Map<MatrixXd>(C, rows, cols).noalias() -=
      Map<const MatrixXd>(A, rows, inner) * Map<const MatrixXd>(B, inner, cols);
}

/// A -> L U with row exchanges.
bool factor_lu(Map<MatrixXd> A, int* pivots) {
  const Index n = A.rows();
  const double smallest = kSmallestPivot * A.cwiseAbs().maxCoeff();
  for (Index k = 0; k < n; ++k) {
    Index best = k;
    for (Index i = k + 1; i < n; ++i) {
      if (std::abs(A(i, k)) > std::abs(A(best, k))) best = i;
    }
    if (!(std::abs(A(best, k)) > smallest)) return false;
    pivots[k] = static_cast<int>(best);
    if (best != k) A.row(k).swap(A.row(best));
    const double inverse = 1.0 / A(k, k);
    for (Index i = k + 1; i < n; ++i) A(i, k) *= inverse;
    for (Index j = k + 1; j < n; ++j) {
      const double factor = A(k, j);
      if (factor == 0.0) continue;
      for (Index i = k + 1; i < n; ++i) A(i, j) -= A(i, k) * factor;
    }
  }
  return true;
}

/// A -> L L', the lower triangle.
bool factor_cholesky(Map<MatrixXd> A) {
  const Index n = A.rows();
  for (Index k = 0; k < n; ++k) {
    if (!(A(k, k) > 0.0) || !std::isfinite(A(k, k))) return false;
    A(k, k) = std::sqrt(A(k, k));
    const double inverse = 1.0 / A(k, k);
    for (Index i = k + 1; i < n; ++i) A(i, k) *= inverse;
    for (Index j = k + 1; j < n; ++j) {
      for (Index i = j; i < n; ++i) A(i, j) -= A(i, k) * A(j, k);
    }
  }
  return true;
}

/// X <- (diagonal block)^-1 X, six by six: the same operations row by row, so that they fill the
/// processor's vectors.
void solve_free_diagonal(const double* A, const int* pivots, bool symmetric, double* X) {
  constexpr int n = 6;
  double rows[n][n];
  for (int i = 0; i < n; ++i) {
    for (int c = 0; c < n; ++c) rows[i][c] = X[n * c + i];
  }
  const auto subtract = [&rows](int i, int k, double factor) {
    for (int c = 0; c < n; ++c) rows[i][c] -= factor * rows[k][c];
  };
  const auto divide = [&rows](int k, double pivot) {
    for (int c = 0; c < n; ++c) rows[k][c] /= pivot;
  };
  if (!symmetric) {
    for (int k = 0; k < n; ++k) std::swap(rows[k], rows[pivots[k]]);
  }
  for (int k = 0; k < n; ++k) {
    if (symmetric) divide(k, A[n * k + k]);
    for (int i = k + 1; i < n; ++i) subtract(i, k, A[n * k + i]);
  }
  for (int k = n; k-- > 0;) {
    if (symmetric) {
      for (int i = k + 1; i < n; ++i) subtract(k, i, A[n * k + i]);
    }
    divide(k, A[n * k + k]);
    if (!symmetric) {
      for (int i = 0; i < k; ++i) subtract(i, k, A[n * k + i]);
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int c = 0; c < n; ++c) X[n * c + i] = rows[i][c];
  }
}

/// x <- (diagonal block)^-1 x, column by column.
void solve_diagonal(const Map<MatrixXd>& A, const int* pivots, bool symmetric, double* x,
                    Index num_columns) {
  const Index n = A.rows();
  if (n == 6 && num_columns == 6) return solve_free_diagonal(A.data(), pivots, symmetric, x);
  for (Index c = 0; c < num_columns; ++c, x += n) {
    if (symmetric) {
      for (Index k = 0; k < n; ++k) {
        x[k] /= A(k, k);
        for (Index i = k + 1; i < n; ++i) x[i] -= A(i, k) * x[k];
      }
      for (Index k = n; k-- > 0;) {
        for (Index i = k + 1; i < n; ++i) x[k] -= A(i, k) * x[i];
        x[k] /= A(k, k);
      }
      continue;
    }
    for (Index k = 0; k < n; ++k) std::swap(x[k], x[pivots[k]]);
    for (Index k = 0; k < n; ++k) {
      for (Index i = k + 1; i < n; ++i) x[i] -= A(i, k) * x[k];
    }
    for (Index k = n; k-- > 0;) {
      x[k] /= A(k, k);
      for (Index i = 0; i < k; ++i) x[i] -= A(i, k) * x[k];
    }
  }
}

}  // namespace

void BlockFactorization::set_pattern(std::span<const int> sizes,
                                     std::span<const std::pair<int, int>> pairs) {
  if (std::equal(sizes.begin(), sizes.end(), sizes_.begin(), sizes_.end()) &&
      std::equal(pairs.begin(), pairs.end(), pairs_.begin(), pairs_.end())) {
    return;
  }
  sizes_.assign(sizes.begin(), sizes.end());
  pairs_.assign(pairs.begin(), pairs.end());
  analyze(pairs);
}

void BlockFactorization::analyze(std::span<const std::pair<int, int>> pairs) {
  const std::size_t n = sizes_.size();
  std::vector<Eigen::Triplet<double, int>> triplets;
  // Without its diagonal Eigen's minimum degree leaves a matrix in its given order.
  for (int i = 0; i < num_nodes(); ++i) triplets.emplace_back(i, i, 1.0);
  for (const auto& [i, j] : pairs) {
    if (i == j) continue;
    triplets.emplace_back(i, j, 1.0);
    triplets.emplace_back(j, i, 1.0);
  }
  Eigen::SparseMatrix<double, Eigen::ColMajor, int> graph(static_cast<int>(n), static_cast<int>(n));
  graph.setFromTriplets(triplets.begin(), triplets.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(graph, permutation);
  order_.assign(n, 0);
  position_.assign(n, 0);
  for (std::size_t k = 0; k < n; ++k) {
    order_[k] = permutation.indices()(static_cast<Index>(k));
    position_[static_cast<std::size_t>(order_[k])] = static_cast<int>(k);
  }

  // Each column's rows below the diagonal, with the fill-in that its children in the elimination
  // tree hand on.
  std::vector<std::vector<int>> below(n);
  for (std::size_t k = 0; k < n; ++k) {
    for (decltype(graph)::InnerIterator it(graph, order_[k]); it; ++it) {
      const int row = position_[static_cast<std::size_t>(it.row())];
      if (row > static_cast<int>(k)) below[k].push_back(row);
    }
  }
  for (std::size_t k = 0; k < n; ++k) {
    std::sort(below[k].begin(), below[k].end());
    below[k].erase(std::unique(below[k].begin(), below[k].end()), below[k].end());
    if (below[k].empty()) continue;
    std::vector<int>& parent = below[static_cast<std::size_t>(below[k].front())];
    parent.insert(parent.end(), below[k].begin() + 1, below[k].end());
  }

  std::size_t num_values = 0, num_pivots = 0;
  Index first_row = 0;
  offsets_.assign(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    offsets_[i] = first_row;
    first_row += sizes_[i];
  }
  const auto take = [&num_values](int rows, int columns) {
    const std::size_t offset = num_values;
    num_values += static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    return offset;
  };
  diagonals_.assign(n, 0);
  starts_.assign(n + 1, 0);
  pivot_starts_.assign(n, 0);
  entries_.clear();
  int largest = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const int size = size_at(static_cast<int>(k));
    largest = std::max(largest, size);
    diagonals_[k] = take(size, size);
    pivot_starts_[k] = num_pivots;
    num_pivots += static_cast<std::size_t>(size);
    starts_[k] = entries_.size();
    for (const int row : below[k]) {
      const std::size_t lower = take(size_at(row), size), upper = take(size, size_at(row));
      entries_.push_back({row, lower, upper});
    }
  }
  starts_[n] = entries_.size();
  values_.assign(num_values, 0.0);
  pivots_.assign(num_pivots, 0);
  segment_.assign(static_cast<std::size_t>(largest), 0.0);
}

void BlockFactorization::clear() { std::fill(values_.begin(), values_.end(), 0.0); }

int BlockFactorization::size_at(int position) const {
  return sizes_[static_cast<std::size_t>(order_[static_cast<std::size_t>(position)])];
}

Map<MatrixXd> BlockFactorization::diagonal(int position) {
  const int size = size_at(position);
  return {values_.data() + diagonals_[static_cast<std::size_t>(position)], size, size};
}

std::span<const BlockFactorization::Entry> BlockFactorization::column_entries(int column) const {
  const std::size_t k = static_cast<std::size_t>(column);
  return std::span(entries_).subspan(starts_[k], starts_[k + 1] - starts_[k]);
}

const BlockFactorization::Entry& BlockFactorization::entry(int row, int column) const {
  const std::span<const Entry> entries = column_entries(column);
  return *std::lower_bound(entries.begin(), entries.end(), row,
                           [](const Entry& e, int wanted) { return e.row < wanted; });
}

Map<MatrixXd> BlockFactorization::block(int i, int j) {
  const int row = position_[static_cast<std::size_t>(i)];
  const int column = position_[static_cast<std::size_t>(j)];
  if (row == column) return diagonal(row);
  const std::size_t offset = row > column ? entry(row, column).lower : entry(column, row).upper;
  return {values_.data() + offset, size_at(row), size_at(column)};
}

bool BlockFactorization::factor_diagonal(int column) {
  const Map<MatrixXd> block = diagonal(column);
  if (symmetric_) return factor_cholesky(block);
  return factor_lu(block, pivots_.data() + pivot_starts_[static_cast<std::size_t>(column)]);
}

/// Upper blocks of one pivot row: U <- D^-1 U; in the symmetric case U = L'.
void BlockFactorization::scale_upper(int column) {
  const Map<MatrixXd> block = diagonal(column);
  const int* pivots = pivots_.data() + pivot_starts_[static_cast<std::size_t>(column)];
  const int size = size_at(column);
  for (const Entry& e : column_entries(column)) {
    const int rows = size_at(e.row);
    if (symmetric_) {
      Map<MatrixXd>(values_.data() + e.upper, size, rows) =
          Map<MatrixXd>(values_.data() + e.lower, rows, size).transpose();
    }
    solve_diagonal(block, pivots, symmetric_, values_.data() + e.upper, rows);
  }
}

/// The Schur complement of one pivot: A(i, k) -= A(i, column) D^-1 A(column, k).
void BlockFactorization::update(int column) {
  const std::span<const Entry> entries = column_entries(column);
  const int inner = size_at(column);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const int target = entries[k].row;
    const int cols = size_at(target);
    const double* upper_k = values_.data() + entries[k].upper;
    subtract_product(values_.data() + diagonals_[static_cast<std::size_t>(target)],
                     values_.data() + entries[k].lower, upper_k, cols, inner, cols);
    const std::span<const Entry> below = column_entries(target);
    std::size_t at = 0;
    for (std::size_t i = k + 1; i < entries.size(); ++i) {
      while (below[at].row != entries[i].row) ++at;
      const int rows = size_at(entries[i].row);
      subtract_product(values_.data() + below[at].lower, values_.data() + entries[i].lower, upper_k,
                       rows, inner, cols);
      if (symmetric_) continue;
      subtract_product(values_.data() + below[at].upper, values_.data() + entries[k].lower,
                       values_.data() + entries[i].upper, cols, inner, rows);
    }
  }
}

bool BlockFactorization::factor(bool symmetric) {
  symmetric_ = symmetric;
  for (int column = 0; column < num_nodes(); ++column) {
    if (!factor_diagonal(column)) return false;
    scale_upper(column);
    update(column);
  }
  return true;
}

void BlockFactorization::solve(Eigen::Ref<Eigen::VectorXd> x) {
  const auto offset = [this](int position) {
    return offsets_[static_cast<std::size_t>(order_[static_cast<std::size_t>(position)])];
  };
  const auto solve_own = [&](int column) {
    solve_diagonal(diagonal(column),
                   pivots_.data() + pivot_starts_[static_cast<std::size_t>(column)], symmetric_,
                   x.data() + offset(column), 1);
  };
  for (int column = 0; column < num_nodes(); ++column) {
    const int size = size_at(column);
    solve_own(column);
    const auto own = x.segment(offset(column), size);
    for (const Entry& e : column_entries(column)) {
      x.segment(offset(e.row), size_at(e.row)).noalias() -=
          Map<const MatrixXd>(values_.data() + e.lower, size_at(e.row), size).lazyProduct(own);
    }
  }
  for (int column = num_nodes(); column-- > 0;) {
    const int size = size_at(column);
    auto own = x.segment(offset(column), size);
    for (const Entry& e : column_entries(column)) {
      own.noalias() -= Map<const MatrixXd>(values_.data() + e.upper, size, size_at(e.row))
                           .lazyProduct(x.segment(offset(e.row), size_at(e.row)));
    }
  }
}

}  // namespace amontons
