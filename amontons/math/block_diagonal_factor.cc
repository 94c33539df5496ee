#include "amontons/math/block_diagonal_factor.h"

#include "amontons/math/tree_factor.h"

#include <stdexcept>
#include <string>

namespace amontons {
namespace {

using Eigen::Index;
using FreeMatrix = Eigen::Matrix<double, 6, 6>;
using FreeVector = Eigen::Matrix<double, 6, 1>;

/// L^-1 with zeros above the diagonal, column by column.
void invert_lower(const FreeMatrix& L, Eigen::Map<FreeMatrix> inverse) {
  FreeVector reciprocal;
  for (int i = 0; i < 6; ++i) reciprocal[i] = 1.0 / L(i, i);
  inverse.setZero();
  for (int j = 0; j < 6; ++j) {
    inverse(j, j) = reciprocal[j];
    for (int i = j + 1; i < 6; ++i) {
      double sum = 0.0;
      for (int k = j; k < i; ++k) sum += L(i, k) * inverse(k, j);
      inverse(i, j) = -sum * reciprocal[i];
    }
  }
}

}  // namespace

void BlockDiagonalFactor::compute(const BlockDiagonalMatrix& matrix) {
  lower_ = matrix;
  block_of_row_.resize(static_cast<std::size_t>(size()));
  for (std::size_t b = 0; b < num_blocks(); ++b) {
    const BlockDiagonalMatrix::Block block = matrix.block(b);
    Eigen::Map<Eigen::MatrixXd> lower = lower_.mutable_block(b);
    int bad = -1;
    double pivot = 0.0;
    if (is_free(b)) {
      FreeMatrix L = lower;
      bad = factor_tree(L, ChainParents{});
      if (bad >= 0) pivot = L(bad, bad);
      invert_lower(L, Eigen::Map<FreeMatrix>(lower.data()));
    } else {
      bad = factor_tree(lower, TreeParents{block.parents});
      if (bad >= 0) pivot = lower(bad, bad);
    }
    if (bad >= 0) {
      throw std::domain_error("mass matrix is not positive definite (block " + std::to_string(b) +
                              ", row " + std::to_string(bad) + ", pivot " + std::to_string(pivot) +
                              ")");
    }
    for (Index i = 0; i < block.matrix.rows(); ++i) {
      block_of_row_[static_cast<std::size_t>(block.offset + i)] = b;
    }
  }
}

void BlockDiagonalFactor::whiten_block_in_place(std::size_t block_index,
                                                Eigen::Ref<Eigen::MatrixXd> x) const {
  if (is_free(block_index)) {
    const FreeInverse inverse = inverse_of_free(block_index);
    for (Index column = 0; column < x.cols(); ++column) {
      const FreeVector own = x.col(column);
      x.col(column) = inverse.transpose().lazyProduct(own);
    }
    return;
  }
  const BlockDiagonalMatrix::Block block = lower_.block(block_index);
  for (Index column = 0; column < x.cols(); ++column) {
    solve_transposed_tree(block.matrix, TreeParents{block.parents}, x.col(column));
  }
}

void BlockDiagonalFactor::unwhiten_block_in_place(std::size_t block_index,
                                                  Eigen::Ref<Eigen::MatrixXd> x) const {
  if (is_free(block_index)) {
    const FreeInverse inverse = inverse_of_free(block_index);
    for (Index column = 0; column < x.cols(); ++column) {
      const FreeVector own = x.col(column);
      x.col(column) = inverse.lazyProduct(own);
    }
    return;
  }
  const BlockDiagonalMatrix::Block block = lower_.block(block_index);
  for (Index column = 0; column < x.cols(); ++column) {
    solve_tree(block.matrix, TreeParents{block.parents}, x.col(column));
  }
}

void BlockDiagonalFactor::solve_block_in_place(std::size_t block_index,
                                               Eigen::Ref<Eigen::MatrixXd> x) const {
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
