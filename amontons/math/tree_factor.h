#pragma once

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <span>

namespace amontons {

/// Gives the parents in a tree of degrees of freedom, -1 at a root.
struct TreeParents {
  std::span<const int> parents;
  int operator()(int i) const { return parents[static_cast<std::size_t>(i)]; }
};
/// Gives the parents of a dense matrix, which is a chain.
struct ChainParents {
  int operator()(int i) const { return i - 1; }
};

/// Overwrites the lower triangle of A with L, A = L' L, without fill-in: entries that no branch
/// shares stay zero [Featherstone 2008, sec. 6.5].
/// @returns the row of the first pivot that is not above 1e-14 times the largest diagonal entry, or
/// -1.
template <typename Matrix, typename Parent>
int factor_tree(Matrix& A, const Parent& parent) {
  const int n = static_cast<int>(A.rows());
  // A pivot counts as zero relative to the largest diagonal entry, in units of the matrix.
  double largest = 0.0;
  for (int k = 0; k < n; ++k) largest = std::max(largest, std::abs(A(k, k)));
  // From the leaves to the root: row k of L, then A -= L_k' L_k on the ancestors of k alone.
  for (int k = n - 1; k >= 0; --k) {
    if (!(A(k, k) > 1e-14 * largest)) return k;
    A(k, k) = std::sqrt(A(k, k));
    for (int i = parent(k); i >= 0; i = parent(i)) A(k, i) /= A(k, k);
    for (int i = parent(k); i >= 0; i = parent(i)) {
      for (int j = i; j >= 0; j = parent(j)) A(i, j) -= A(k, i) * A(k, j);
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
