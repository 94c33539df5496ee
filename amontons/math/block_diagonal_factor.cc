#include "amontons/math/block_diagonal_factor.h"

#include "amontons/math/short_vectors.h"
#include "amontons/math/tree_factor.h"

#include <stdexcept>
#include <string>

namespace amontons {
namespace {

using Eigen::Index;
using FreeMatrix = BlockDiagonalFactor::FreeMatrix;
using FreeBlock = Eigen::Map<const FreeMatrix>;
using FreeVector = Eigen::Matrix<double, 6, 1>;

/// Computes L^-1 with zeros above the diagonal, column by column.
void invert_lower(const FreeMatrix& L, Eigen::Ref<FreeMatrix> inverse) {
  FreeVector reciprocal;
  for (int i = 0; i < 6; ++i) reciprocal[i] = 1.0 / L(i, i);
  inverse.setZero();
  // Forward substitution of the unit vectors: L X = I.
  for (int j = 0; j < 6; ++j) {
    inverse(j, j) = reciprocal[j];
    for (int i = j + 1; i < 6; ++i) {
      double sum = 0.0;
      for (int k = j; k < i; ++k) sum += L(i, k) * inverse(k, j);
      inverse(i, j) = -sum * reciprocal[i];
    }
  }
}

/// Returns true if all entries below the diagonal are zero.
template <typename Matrix>
bool is_zero_below_diagonal(const Matrix& M) {
  for (int j = 0; j < 6; ++j) {
    for (int i = j + 1; i < 6; ++i) {
      if (M(i, j) != 0.0) return false;
    }
  }
  return true;
}

/// Returns true for balls and for bodies whose frame is that of their principal axes.
bool is_positive_diagonal(const FreeBlock& M) {
  if (!is_zero_below_diagonal(M) || !is_zero_below_diagonal(M.transpose())) return false;
  // The same threshold for a pivot as in factor_tree().
  return M.diagonal().minCoeff() > 1e-14 * M.diagonal().maxCoeff();
}

// Rows from which a dense block is worth substitution by columns, which lie in one piece.
constexpr Index kManyRows = 24;

/// Returns true for a block without branches, with many rows.
bool is_large_and_dense(const BlockDiagonalMatrix::Block& block) {
  if (block.matrix.rows() < kManyRows) return false;
  for (std::size_t i = 0; i < block.parents.size(); ++i) {
    if (block.parents[i] != static_cast<int>(i) - 1) return false;
  }
  return true;
}

/// Computes x <- L^-T x, each entry by one product with a column.
template <typename Matrix>
void solve_transposed_by_columns(const Matrix& L, double* x) {
  Index end = L.rows();  // behind the last entry that is not zero
  while (end > 0 && x[end - 1] == 0.0) --end;
  for (Index j = end - 1; j >= 0; --j) {
    const Index below = j + 1;
    x[j] = (x[j] - short_dot(L.col(j).data() + below, x + below, end - below)) / L(j, j);
  }
}

/// Computes x <- L^-1 x, column by column.
template <typename Matrix>
void solve_by_columns(const Matrix& L, double* x) {
  const Index n = L.rows();
  for (Index j = 0; j < n; ++j) {
    if (x[j] == 0.0) continue;
    x[j] /= L(j, j);
    const Index below = j + 1;
    add_scaled(-x[j], L.col(j).data() + below, x + below, n - below);
  }
}

/// Reports the pivot [kg or kg m^2] that is not positive.
[[noreturn]] void fail(std::size_t block, int row, double pivot) {
  throw std::domain_error("mass matrix is not positive definite (block " + std::to_string(block) +
                          ", row " + std::to_string(row) + ", pivot " + std::to_string(pivot) +
                          ")");
}

}  // namespace

void BlockDiagonalFactor::invert_free(const BlockDiagonalMatrix& matrix, std::size_t block,
                                      Eigen::Ref<FreeMatrix> inverse_factor) {
  const FreeBlock M(matrix.block(block).matrix.data());
  // A diagonal M needs no elimination: L^-1 = M^(-1/2).
  if (is_positive_diagonal(M)) {
    inverse_factor.setZero();
    inverse_factor.diagonal() = M.diagonal().cwiseSqrt().cwiseInverse();
    return;
  }
  // The general case: M = L'L, then the inverse of the 6 x 6 triangle.
  FreeMatrix L = M;
  const int bad = factor_tree(L, ChainParents{});
  if (bad >= 0) fail(block, bad, L(bad, bad));
  invert_lower(L, inverse_factor);
}

bool BlockDiagonalFactor::is_diagonal(std::size_t block) const {
  return is_zero_below_diagonal(inverse_of_free(block));
}

void BlockDiagonalFactor::compute(const BlockDiagonalMatrix& matrix) {
  // The factor overwrites a copy of M, block by block.
  lower_ = matrix;
  block_of_row_.resize(static_cast<std::size_t>(size()));
  for (std::size_t b = 0; b < num_blocks(); ++b) {
    const BlockDiagonalMatrix::Block block = matrix.block(b);
    Eigen::Map<Eigen::MatrixXd> lower = lower_.mutable_block(b);
    // Free bodies keep L^-1 and are applied as products; trees keep L and are solved along
    // branches.
    if (is_free(b)) {
      invert_free(matrix, b, Eigen::Map<FreeMatrix>(lower.data()));
    } else {
      const int bad = factor_tree(lower, TreeParents{block.parents});
      if (bad >= 0) fail(b, bad, lower(bad, bad));
    }
    // Rows know their block, for callers that start from a row.
    for (Index i = 0; i < block.matrix.rows(); ++i) {
      block_of_row_[static_cast<std::size_t>(block.offset + i)] = b;
    }
  }
}

void BlockDiagonalFactor::whiten_block_in_place(std::size_t block_index,
                                                Eigen::Ref<Eigen::MatrixXd> x) const {
  // A free body: x <- L^-T x is one product with the stored inverse.
  if (is_free(block_index)) {
    const FreeInverse inverse = inverse_of_free(block_index);
    for (Index column = 0; column < x.cols(); ++column) {
      const FreeVector own = x.col(column);
      x.col(column) = inverse.transpose().lazyProduct(own);
    }
    return;
  }
  // A tree: back substitution from the leaves to the root.
  const BlockDiagonalMatrix::Block block = lower_.block(block_index);
  if (is_large_and_dense(block)) {
    for (Index column = 0; column < x.cols(); ++column) {
      solve_transposed_by_columns(block.matrix, x.col(column).data());
    }
    return;
  }
  for (Index column = 0; column < x.cols(); ++column) {
    solve_transposed_tree(block.matrix, TreeParents{block.parents}, x.col(column));
  }
}

void BlockDiagonalFactor::unwhiten_block_in_place(std::size_t block_index,
                                                  Eigen::Ref<Eigen::MatrixXd> x) const {
  // A free body: x <- L^-1 x is one product with the stored inverse.
  if (is_free(block_index)) {
    const FreeInverse inverse = inverse_of_free(block_index);
    for (Index column = 0; column < x.cols(); ++column) {
      const FreeVector own = x.col(column);
      x.col(column) = inverse.lazyProduct(own);
    }
    return;
  }
  // A tree: forward substitution from the root to the leaves.
  const BlockDiagonalMatrix::Block block = lower_.block(block_index);
  if (is_large_and_dense(block)) {
    for (Index column = 0; column < x.cols(); ++column) {
      solve_by_columns(block.matrix, x.col(column).data());
    }
    return;
  }
  for (Index column = 0; column < x.cols(); ++column) {
    solve_tree(block.matrix, TreeParents{block.parents}, x.col(column));
  }
}

void BlockDiagonalFactor::solve_block_in_place(std::size_t block_index,
                                               Eigen::Ref<Eigen::MatrixXd> x) const {
  // M^-1 = L^-1 L^-T.
  whiten_block_in_place(block_index, x);
  unwhiten_block_in_place(block_index, x);
}

void BlockDiagonalFactor::solve_in_place(Eigen::Ref<Eigen::MatrixXd> x) const {
  for (std::size_t b = 0; b < num_blocks(); ++b) {
    solve_block_in_place(b, x.middleRows(block(b).offset, block(b).matrix.rows()));
  }
}

void BlockDiagonalFactor::whiten_in_place(Eigen::Ref<Eigen::MatrixXd> x) const {
  for (std::size_t b = 0; b < num_blocks(); ++b) {
    whiten_block_in_place(b, x.middleRows(block(b).offset, block(b).matrix.rows()));
  }
}

void BlockDiagonalFactor::unwhiten_in_place(Eigen::Ref<Eigen::MatrixXd> x) const {
  for (std::size_t b = 0; b < num_blocks(); ++b) {
    unwhiten_block_in_place(b, x.middleRows(block(b).offset, block(b).matrix.rows()));
  }
}

Eigen::VectorXd BlockDiagonalFactor::solve(const Eigen::Ref<const Eigen::VectorXd>& x) const {
  Eigen::VectorXd result = x;
  solve_in_place(result);
  return result;
}

}  // namespace amontons
