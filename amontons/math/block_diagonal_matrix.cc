#include "amontons/math/block_diagonal_matrix.h"

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace amontons {

using Eigen::Index;

void BlockDiagonalMatrix::add_block(Eigen::MatrixXd matrix, std::vector<int> parents) {
  const Index n = matrix.rows();
  if (matrix.cols() != n) {
    throw std::invalid_argument("BlockDiagonalMatrix: block is " + std::to_string(n) + " x " +
                                std::to_string(matrix.cols()) + ", must be square");
  }
  if (parents.empty()) {
    for (int i = 0; i < n; ++i) parents.push_back(i - 1);
  }
  if (static_cast<Index>(parents.size()) != n) {
    throw std::invalid_argument("BlockDiagonalMatrix: parents must have one entry per row");
  }
  for (int i = 0; i < n; ++i) {
    const int parent = parents[static_cast<std::size_t>(i)];
    if (parent < -1 || parent >= i) {
      throw std::invalid_argument("BlockDiagonalMatrix: a parent must come before its child");
    }
  }
  blocks_.push_back({size_, std::move(matrix), std::move(parents)});
  size_ += n;
}

Eigen::VectorXd BlockDiagonalMatrix::operator*(const Eigen::Ref<const Eigen::VectorXd>& v) const {
  Eigen::VectorXd result(size_);
  for (const Block& block : blocks_) {
    const Index n = block.matrix.rows();
    result.segment(block.offset, n).noalias() = block.matrix * v.segment(block.offset, n);
  }
  return result;
}

Eigen::MatrixXd BlockDiagonalMatrix::to_dense() const {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(size_, size_);
  for (const Block& block : blocks_) {
    const Index n = block.matrix.rows();
    result.block(block.offset, block.offset, n, n) = block.matrix;
  }
  return result;
}

BlockDiagonalFactor::BlockDiagonalFactor(const BlockDiagonalMatrix& matrix)
    : size_(matrix.size()), blocks_(matrix.blocks()) {
  block_of_row_.resize(static_cast<std::size_t>(size_));
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    BlockDiagonalMatrix::Block& block = blocks_[b];
    Eigen::MatrixXd& L = block.matrix;
    const int n = static_cast<int>(L.rows());
    const double smallest_pivot = n == 0 ? 0.0 : 1e-14 * L.diagonal().cwiseAbs().maxCoeff();
    const auto parent = [&block](int i) { return block.parents[static_cast<std::size_t>(i)]; };
    for (int k = n - 1; k >= 0; --k) {
      block_of_row_[static_cast<std::size_t>(block.offset + k)] = b;
      if (!(L(k, k) > smallest_pivot)) {
        throw std::domain_error("mass matrix is not positive definite (block " + std::to_string(b) +
                                ", row " + std::to_string(k) + ", pivot " +
                                std::to_string(L(k, k)) + ")");
      }
      L(k, k) = std::sqrt(L(k, k));
      for (int i = parent(k); i >= 0; i = parent(i)) L(k, i) /= L(k, k);
      for (int i = parent(k); i >= 0; i = parent(i)) {
        for (int j = i; j >= 0; j = parent(j)) L(i, j) -= L(k, i) * L(k, j);
      }
    }
  }
  note_free_blocks();
}

void BlockDiagonalFactor::note_free_blocks() {
  free_index_.assign(blocks_.size(), -1);
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const BlockDiagonalMatrix::Block& block = blocks_[b];
    if (block.matrix.rows() != 6) continue;
    bool dense = true;
    for (int k = 0; k < 6; ++k)
      dense = dense && block.parents[static_cast<std::size_t>(k)] == k - 1;
    if (!dense) continue;
    free_index_[b] = static_cast<int>(free_inverses_.size());
    const Eigen::Matrix<double, 6, 6> L = block.matrix;
    free_inverses_.push_back(
        L.triangularView<Eigen::Lower>().solve(Eigen::Matrix<double, 6, 6>::Identity()));
  }
}

void BlockDiagonalFactor::whiten_block_in_place(std::size_t block_index,
                                                Eigen::Ref<Eigen::MatrixXd> x) const {
  using FreeVector = Eigen::Matrix<double, 6, 1>;
  if (is_free(block_index)) {
    const Eigen::Matrix<double, 6, 6>& inverse = inverse_of_free(block_index);
    for (Index column = 0; column < x.cols(); ++column) {
      const FreeVector own = x.col(column);
      x.col(column) = inverse.transpose().triangularView<Eigen::Upper>() * own;
    }
    return;
  }
  const BlockDiagonalMatrix::Block& block = blocks_[block_index];
  const Eigen::MatrixXd& L = block.matrix;
  const int n = static_cast<int>(L.rows());
  for (Index column = 0; column < x.cols(); ++column) {
    // Along the branches of the tree only.
    for (int i = n - 1; i >= 0; --i) {
      x(i, column) /= L(i, i);
      for (int j = block.parents[static_cast<std::size_t>(i)]; j >= 0;
           j = block.parents[static_cast<std::size_t>(j)]) {
        x(j, column) -= L(i, j) * x(i, column);
      }
    }
  }
}

void BlockDiagonalFactor::solve_block_in_place(std::size_t block_index,
                                               Eigen::Ref<Eigen::MatrixXd> x) const {
  using FreeVector = Eigen::Matrix<double, 6, 1>;
  whiten_block_in_place(block_index, x);
  if (is_free(block_index)) {
    const Eigen::Matrix<double, 6, 6>& inverse = inverse_of_free(block_index);
    for (Index column = 0; column < x.cols(); ++column) {
      const FreeVector own = x.col(column);
      x.col(column) = inverse.triangularView<Eigen::Lower>() * own;
    }
    return;
  }
  const BlockDiagonalMatrix::Block& block = blocks_[block_index];
  const Eigen::MatrixXd& L = block.matrix;
  const int n = static_cast<int>(L.rows());
  for (Index column = 0; column < x.cols(); ++column) {
    for (int i = 0; i < n; ++i) {
      for (int j = block.parents[static_cast<std::size_t>(i)]; j >= 0;
           j = block.parents[static_cast<std::size_t>(j)]) {
        x(i, column) -= L(i, j) * x(j, column);
      }
      x(i, column) /= L(i, i);
    }
  }
}

void BlockDiagonalFactor::solve_in_place(Eigen::Ref<Eigen::MatrixXd> x) const {
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    solve_block_in_place(b, x.middleRows(blocks_[b].offset, blocks_[b].matrix.rows()));
  }
}

Eigen::VectorXd BlockDiagonalFactor::solve(const Eigen::Ref<const Eigen::VectorXd>& x) const {
  Eigen::MatrixXd result = x;
  solve_in_place(result);
  return result.col(0);
}

}  // namespace amontons
