#include "amontons/math/block_sparse_matrix.h"

#include <stdexcept>

namespace amontons {

using Eigen::Index;

Index BlockSparseMatrix::add_block_row(Index num_rows) {
  const Index first = rows_;
  row_starts_.push_back(blocks_.size());
  first_rows_.push_back(first);
  rows_ += num_rows;
  return first;
}

void BlockSparseMatrix::add_block(Index col, const Eigen::Ref<const Eigen::MatrixXd>& values) {
  if (row_starts_.empty() || values.rows() != rows_ - first_rows_.back() || col < 0 ||
      col + values.cols() > cols_) {
    throw std::invalid_argument("BlockSparseMatrix: block does not fit its block row");
  }
  for (std::size_t b = row_starts_.back(); b < blocks_.size(); ++b) {
    const Block& block = blocks_[b];
    if (block.col != col) continue;
    if (block.num_cols != values.cols()) {
      throw std::invalid_argument("BlockSparseMatrix: blocks of one block row overlap");
    }
    Eigen::Map<Eigen::MatrixXd>(values_.data() + block.data, block.num_rows, block.num_cols) +=
        values;
    return;
  }
  blocks_.push_back({first_rows_.back(), col, values.rows(), values.cols(), values_.size()});
  values_.resize(values_.size() + static_cast<std::size_t>(values.size()));
  Eigen::Map<Eigen::MatrixXd>(values_.data() + blocks_.back().data, values.rows(), values.cols()) =
      values;
}

std::span<const BlockSparseMatrix::Block> BlockSparseMatrix::block_row(std::size_t index) const {
  const std::size_t begin = row_starts_[index];
  const std::size_t end = index + 1 < row_starts_.size() ? row_starts_[index + 1] : blocks_.size();
  return {blocks_.data() + begin, end - begin};
}

Index BlockSparseMatrix::num_rows(std::size_t index) const {
  const Index end = index + 1 < first_rows_.size() ? first_rows_[index + 1] : rows_;
  return end - first_rows_[index];
}

Eigen::VectorXd BlockSparseMatrix::operator*(const Eigen::Ref<const Eigen::VectorXd>& v) const {
  Eigen::VectorXd result = Eigen::VectorXd::Zero(rows_);
  for (const Block& block : blocks_) {
    result.segment(block.row, block.num_rows).noalias() +=
        values(block) * v.segment(block.col, block.num_cols);
  }
  return result;
}

Eigen::VectorXd BlockSparseMatrix::transpose_times(
    const Eigen::Ref<const Eigen::VectorXd>& x) const {
  Eigen::VectorXd result = Eigen::VectorXd::Zero(cols_);
  for (const Block& block : blocks_) {
    result.segment(block.col, block.num_cols).noalias() +=
        values(block).transpose() * x.segment(block.row, block.num_rows);
  }
  return result;
}

Eigen::MatrixXd BlockSparseMatrix::to_dense() const {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(rows_, cols_);
  for (const Block& block : blocks_) {
    result.block(block.row, block.col, block.num_rows, block.num_cols) += values(block);
  }
  return result;
}

}  // namespace amontons
