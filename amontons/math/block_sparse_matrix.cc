#include "amontons/math/block_sparse_matrix.h"

#include <algorithm>
#include <stdexcept>
#include <type_traits>

namespace amontons {

using Eigen::Index;

namespace {

using FreeSize = std::integral_constant<Index, 6>;  // columns of a free body's block, unrolled

/// Computes u += J v for a contact's block [3 x n]: most of a step's products are these.
template <typename Size>
void add_product(const double* J, Size n, const double* v, double* u) {
  double x = 0.0, y = 0.0, z = 0.0;
  for (Index k = 0; k < n; ++k) {
    x += J[3 * k] * v[k];
    y += J[3 * k + 1] * v[k];
    z += J[3 * k + 2] * v[k];
  }
  u[0] += x;
  u[1] += y;
  u[2] += z;
}

/// Computes v += J'u for a contact's block [3 x n].
template <typename Size>
void add_transposed_product(const double* J, Size n, const double* u, double* v) {
  for (Index k = 0; k < n; ++k) {
    v[k] += J[3 * k] * u[0] + J[3 * k + 1] * u[1] + J[3 * k + 2] * u[2];
  }
}

/// Returns the product of the only row of a block [1 x n] with v.
double row_product(const double* J, Index n, const double* v) {
  double sum = n > 0 ? J[0] * v[0] : 0.0;
  for (Index k = 1; k < n; ++k) sum += J[k] * v[k];
  return sum;
}

}  // namespace

Index BlockSparseMatrix::add_block_row(Index num_rows) {
  const Index first = rows_;
  row_starts_.push_back(blocks_.size());
  first_rows_.push_back(first);
  rows_ += num_rows;
  return first;
}

void BlockSparseMatrix::reset(Index num_cols) {
  rows_ = 0;
  cols_ = num_cols;
  row_starts_.clear();
  first_rows_.clear();
  blocks_.clear();
  values_.clear();
}

Eigen::Map<Eigen::MatrixXd> BlockSparseMatrix::block_at(Index col, Index num_cols) {
  if (row_starts_.empty() || col < 0 || col + num_cols > cols_) {
    throw std::invalid_argument("BlockSparseMatrix: block does not fit its block row");
  }
  // Two shapes of one articulation share its columns: their blocks are summed.
  const Index num_rows = rows_ - first_rows_.back();
  for (std::size_t b = row_starts_.back(); b < blocks_.size(); ++b) {
    const Block& block = blocks_[b];
    if (block.col != col) continue;
    if (block.num_cols != num_cols) {
      throw std::invalid_argument("BlockSparseMatrix: blocks of one block row overlap");
    }
    return {values_.data() + block.data, num_rows, num_cols};
  }
  // A new block starts as zeros, for the caller to add to.
  const std::size_t data = values_.size();
  blocks_.push_back({first_rows_.back(), col, num_rows, num_cols, data});
  values_.resize(data + static_cast<std::size_t>(num_rows * num_cols), 0.0);
  return {values_.data() + data, num_rows, num_cols};
}

void BlockSparseMatrix::add_block(Index col, const Eigen::Ref<const Eigen::MatrixXd>& values) {
  if (row_starts_.empty() || values.rows() != rows_ - first_rows_.back()) {
    throw std::invalid_argument("BlockSparseMatrix: block does not fit its block row");
  }
  block_at(col, values.cols()) += values;
}

void BlockSparseMatrix::append_block_row(const BlockSparseMatrix& other, std::size_t index) {
  add_block_row(other.num_rows(index));
  for (const Block& block : other.block_row(index)) {
    block_at(block.col, block.num_cols) = other.values(block);
  }
}

void BlockSparseMatrix::replace_block_row(std::size_t index, const BlockSparseMatrix& other,
                                          std::size_t other_index) {
  const std::span<const Block> own = block_row(index), others = other.block_row(other_index);
  const auto is_alike = [](const Block& x, const Block& y) {
    return x.col == y.col && x.num_cols == y.num_cols && x.num_rows == y.num_rows;
  };
  if (!std::equal(own.begin(), own.end(), others.begin(), others.end(), is_alike)) {
    throw std::invalid_argument("BlockSparseMatrix: block rows have different blocks");
  }
  for (std::size_t b = 0; b < own.size(); ++b) {
    const double* const values = other.values_.data() + others[b].data;
    std::copy_n(values, own[b].num_rows * own[b].num_cols, values_.data() + own[b].data);
  }
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
  Eigen::VectorXd result;
  times(v, result);
  return result;
}

void BlockSparseMatrix::times(const Eigen::Ref<const Eigen::VectorXd>& v,
                              Eigen::VectorXd& result) const {
  result.setZero(rows_);
  // The blocks of contacts have three rows, those of limits and friction of joints one; both are
  // written out. Rows of loop joints take Eigen's way.
  for (const Block& block : blocks_) {
    const double* const J = values_.data() + block.data;
    const double* const x = v.data() + block.col;
    double* const u = result.data() + block.row;
    if (block.num_rows == 3 && block.num_cols == 6) {
      add_product(J, FreeSize{}, x, u);
    } else if (block.num_rows == 3) {
      add_product(J, block.num_cols, x, u);
    } else if (block.num_rows == 1) {
      *u += row_product(J, block.num_cols, x);
    } else {
      result.segment(block.row, block.num_rows) +=
          values(block).lazyProduct(v.segment(block.col, block.num_cols));
    }
  }
}

Eigen::VectorXd BlockSparseMatrix::transpose_times(
    const Eigen::Ref<const Eigen::VectorXd>& x) const {
  Eigen::VectorXd result;
  transpose_times(x, result);
  return result;
}

void BlockSparseMatrix::transpose_times(const Eigen::Ref<const Eigen::VectorXd>& x,
                                        Eigen::VectorXd& result) const {
  result.setZero(cols_);
  // The same four cases as in the product with v.
  for (const Block& block : blocks_) {
    const double* const J = values_.data() + block.data;
    const double* const u = x.data() + block.row;
    double* const v = result.data() + block.col;
    if (block.num_rows == 3 && block.num_cols == 6) {
      add_transposed_product(J, FreeSize{}, u, v);
    } else if (block.num_rows == 3) {
      add_transposed_product(J, block.num_cols, u, v);
    } else if (block.num_rows == 1) {
      for (Index k = 0; k < block.num_cols; ++k) v[k] += J[k] * *u;
    } else {
      result.segment(block.col, block.num_cols) +=
          values(block).transpose().lazyProduct(x.segment(block.row, block.num_rows));
    }
  }
}

void BlockSparseMatrix::add_absolute_terms(const Eigen::Ref<const Eigen::VectorXd>& v,
                                           Eigen::VectorXd& sums) const {
  for (const Block& block : blocks_) {
    sums.segment(block.row, block.num_rows) +=
        values(block).cwiseAbs() * v.segment(block.col, block.num_cols).cwiseAbs();
  }
}

Eigen::MatrixXd BlockSparseMatrix::to_dense() const {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(rows_, cols_);
  for (const Block& block : blocks_) {
    result.block(block.row, block.col, block.num_rows, block.num_cols) += values(block);
  }
  return result;
}

}  // namespace amontons
