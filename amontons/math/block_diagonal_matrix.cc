#include "amontons/math/block_diagonal_matrix.h"

#include <stdexcept>
#include <string>

namespace amontons {

using Eigen::Index;

void BlockDiagonalMatrix::clear() {
  size_ = 0;
  places_.clear();
  parents_.clear();
  values_.clear();
}

void BlockDiagonalMatrix::add_block(const Eigen::Ref<const Eigen::MatrixXd>& matrix,
                                    const std::vector<int>& parents) {
  if (matrix.cols() != matrix.rows()) {
    throw std::invalid_argument("BlockDiagonalMatrix: block is " + std::to_string(matrix.rows()) +
                                " x " + std::to_string(matrix.cols()) + ", must be square");
  }
  add_zero_block(matrix.rows(), parents) = matrix;
}

Eigen::Map<Eigen::MatrixXd> BlockDiagonalMatrix::add_zero_block(Index n,
                                                                std::span<const int> parents) {
  // A block without parents is a chain: every row depends on the one above it.
  if (!parents.empty() && static_cast<Index>(parents.size()) != n) {
    throw std::invalid_argument("BlockDiagonalMatrix: parents must have one entry per row");
  }
  bool is_chain = true;
  for (std::size_t i = 0; i < parents.size(); ++i) {
    const int row = static_cast<int>(i);
    if (parents[i] < -1 || parents[i] >= row) {
      throw std::invalid_argument("BlockDiagonalMatrix: a parent must come before its child");
    }
    is_chain = is_chain && parents[i] == row - 1;
  }
  // The parents of all blocks lie in one array, so that a view of a block costs nothing.
  for (int i = 0; i < n; ++i) {
    parents_.push_back(parents.empty() ? i - 1 : parents[static_cast<std::size_t>(i)]);
  }
  // A dense block of six rows is a free body, whose products are unrolled.
  places_.push_back({size_, n, values_.size(), is_chain && n == 6});
  values_.resize(values_.size() + static_cast<std::size_t>(n * n), 0.0);
  size_ += n;
  return mutable_block(places_.size() - 1);
}

Eigen::VectorXd BlockDiagonalMatrix::operator*(const Eigen::Ref<const Eigen::VectorXd>& v) const {
  Eigen::VectorXd result;
  times(v, result);
  return result;
}

void BlockDiagonalMatrix::times(const Eigen::Ref<const Eigen::VectorXd>& v,
                                Eigen::VectorXd& result) const {
  using FreeBlock = Eigen::Map<const Eigen::Matrix<double, 6, 6>>;
  // One product per block; those of free bodies have a fixed size.
  result.resize(size_);
  for (const Place& place : places_) {
    const double* data = values_.data() + place.data;
    if (v.segment(place.offset, place.size).isZero(0.0)) {
      // Many bodies of a scene may be at rest.
      result.segment(place.offset, place.size).setZero();
    } else if (place.is_free) {
      result.segment<6>(place.offset) = FreeBlock(data).lazyProduct(v.segment<6>(place.offset));
    } else {
      result.segment(place.offset, place.size).noalias() =
          Eigen::Map<const Eigen::MatrixXd>(data, place.size, place.size) *
          v.segment(place.offset, place.size);
    }
  }
}

Eigen::MatrixXd BlockDiagonalMatrix::to_dense() const {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(size_, size_);
  for (const Block& block : blocks()) {
    const Index n = block.matrix.rows();
    result.block(block.offset, block.offset, n, n) = block.matrix;
  }
  return result;
}

}  // namespace amontons
