#pragma once

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace amontons {

/// Gives the parents in a tree of degrees of freedom, -1 at a root.
struct TreeParents {
  std::span<const int> parents;  ///< of each degree of freedom
  /// Returns the parent of degree of freedom i.
  int operator()(int i) const { return parents[static_cast<std::size_t>(i)]; }
};
/// Gives the parents of a dense matrix, which is a chain.
struct ChainParents {
  /// Returns the parent of row i.
  int operator()(int i) const { return i - 1; }
};

/// Returns true if pivot k of a factorization that has reached it is more than rounding: above
/// 1e-14 times the entry that the matrix had there. Blocks of one articulation may differ in their
/// units and sizes by more than that, as a stiff spring beside a light link does.
template <typename Matrix, typename Parent>
bool is_pivot_above_rounding(const Matrix& A, const Parent& parent, int k) {
  // The elimination has subtracted the squares of the entries below, of rows that have k above
  // them.
  double entry = A(k, k);
  for (int d = k + 1; d < static_cast<int>(A.rows()); ++d) {
    int above = parent(d);
    while (above > k) above = parent(above);
    if (above == k) entry += A(d, k) * A(d, k);
  }
  return A(k, k) > 1e-14 * entry && A(k, k) >= std::numeric_limits<double>::min();
}

/// Returns true if no branch leaves the rows 0, 1, ..., n - 1.
template <typename Parent>
bool is_chain(const Parent& parent, int n) {
  for (int i = 0; i < n; ++i) {
    if (parent(i) != i - 1) return false;
  }
  return true;
}

/// Overwrites the lower triangle of A with L, A = L' L, without fill-in: entries that no branch
/// shares stay zero [Featherstone 2008, sec. 6.5]. The upper triangle gets the entries of L'.
/// @returns the row of the first pivot that is not above 1e-14 times the diagonal entry of its row,
/// or -1.
template <typename Matrix, typename Parent>
int factor_tree(Matrix& A, const Parent& parent) {
  const int n = static_cast<int>(A.rows());
  // Most pivots are above that share of the largest entry, which is found without more work.
  double largest = 0.0;
  for (int k = 0; k < n; ++k) largest = std::max(largest, std::abs(A(k, k)));
  constexpr int kManyRows = 16;  // from which loops over whole columns are worth their start
  const bool is_dense = n >= kManyRows && is_chain(parent, n);
  // From the leaves to the root: row k of L, then A -= L_k' L_k on the ancestors of k alone.
  for (int k = n - 1; k >= 0; --k) {
    if (!(A(k, k) > 1e-14 * largest) && !is_pivot_above_rounding(A, parent, k)) return k;
    A(k, k) = std::sqrt(A(k, k));
    // Column k gets a copy of the row. Columns lie in one piece.
    for (int i = parent(k); i >= 0; i = parent(i)) A(i, k) = A(k, i) /= A(k, k);
    for (int j = parent(k); j >= 0; j = parent(j)) {
      if (is_dense) {
        A.col(j).segment(j, k - j) -= A(j, k) * A.col(k).segment(j, k - j);
      } else {
        for (int i = parent(k); i >= j; i = parent(i)) A(i, j) -= A(i, k) * A(j, k);
      }
    }
  }
  return -1;
}

/// Computes x <- L x.
template <typename Matrix, typename Parent, typename Vector>
void multiply_tree(const Matrix& L, const Parent& parent, Vector&& x) {
  for (int i = static_cast<int>(L.rows()) - 1; i >= 0; --i) {
    double own = L(i, i) * x[i];
    for (int j = parent(i); j >= 0; j = parent(j)) own += L(i, j) * x[j];
    x[i] = own;
  }
}

/// Computes x <- L^-T x, along the branches of the tree and only for entries that are not zero.
template <typename Matrix, typename Parent, typename Vector>
void solve_transposed_tree(const Matrix& L, const Parent& parent, Vector&& x) {
  for (int i = static_cast<int>(L.rows()) - 1; i >= 0; --i) {
    if (x[i] == 0.0) continue;
    const double own = x[i] /= L(i, i);
    for (int j = parent(i); j >= 0; j = parent(j)) x[j] -= L(i, j) * own;
  }
}

/// Computes x <- L^-1 x.
template <typename Matrix, typename Parent, typename Vector>
void solve_tree(const Matrix& L, const Parent& parent, Vector&& x) {
  for (int i = 0; i < static_cast<int>(L.rows()); ++i) {
    double own = x[i];
    for (int j = parent(i); j >= 0; j = parent(j)) own -= L(i, j) * x[j];
    x[i] = own / L(i, i);
  }
}

}  // namespace amontons
