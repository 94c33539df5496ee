#pragma once

#include <Eigen/Core>

#include <cstddef>
#include <span>
#include <vector>

namespace amontons {

/// Holds a symmetric positive definite matrix of dense diagonal blocks: the mass matrix of a
/// system, one block per articulation. All blocks share one store, which clear() and assignment
/// keep.
///
/// A block has a tree of degrees of freedom. Its entry (i, j) may be nonzero only if one of the two
/// is an ancestor of the other. Without a tree the block is a chain and dense.
class BlockDiagonalMatrix {
 public:
  /// Shows one block; valid until the matrix changes.
  struct Block {
    Eigen::Index offset = 0;                   ///< first row and column of the block
    Eigen::Map<const Eigen::MatrixXd> matrix;  ///< [n x n], symmetric; both triangles are stored
    std::span<const int> parents;  ///< [n], parent of each row inside the block, < row; -1: a root
  };
  class Blocks;

  /// Removes all blocks.
  void clear();

  /// Appends a block. Empty `parents` mean a dense block.
  /// @throws std::invalid_argument if the block is not square or a parent is not before its child.
  void add_block(const Eigen::Ref<const Eigen::MatrixXd>& matrix,
                 const std::vector<int>& parents = {});

  /// Appends a block [n x n] of zeros, to be filled before the next block is added.
  Eigen::Map<Eigen::MatrixXd> add_zero_block(Eigen::Index n, std::span<const int> parents);

  Eigen::Index size() const { return size_; }                    ///< rows, as many as columns
  std::size_t num_blocks() const { return places_.size(); }      ///< on the diagonal
  Block block(std::size_t index) const;                          ///< block to read
  Eigen::Map<Eigen::MatrixXd> mutable_block(std::size_t index);  ///< block to change
  Blocks blocks() const;                                         ///< blocks as a range

  /// Returns true if a block belongs to a free body: dense, of size six.
  bool is_free(std::size_t block) const { return places_[block].is_free; }

  Eigen::VectorXd operator*(const Eigen::Ref<const Eigen::VectorXd>& v) const;  ///< M v
  /// Writes M v into `result`, whose memory is kept; it must not overlap v.
  void times(const Eigen::Ref<const Eigen::VectorXd>& v, Eigen::VectorXd& result) const;
  Eigen::MatrixXd to_dense() const;  ///< [n x n]

 private:
  struct Place {
    Eigen::Index offset = 0, size = 0;
    std::size_t data = 0;  // into values_
    bool is_free = false;
  };

  Eigen::Index size_ = 0;
  std::vector<Place> places_;
  std::vector<int> parents_;    // [size_]
  std::vector<double> values_;  // column-major, block after block
};

/// Presents the blocks of a matrix as a range of views.
class BlockDiagonalMatrix::Blocks {
 public:
  /// Visits the blocks in order.
  class Iterator {
   public:
    /// @param index  of the block that is visited first.
    Iterator(const BlockDiagonalMatrix& matrix, std::size_t index)
        : matrix_(&matrix), index_(index) {}
    Block operator*() const { return matrix_->block(index_); }  ///< present block
    /// Advances to the next block.
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    /// Compares positions in the same matrix.
    bool operator==(const Iterator& other) const { return index_ == other.index_; }

   private:
    const BlockDiagonalMatrix* matrix_;
    std::size_t index_;
  };

  /// @param matrix  must outlive it.
  explicit Blocks(const BlockDiagonalMatrix& matrix) : matrix_(&matrix) {}
  std::size_t size() const { return matrix_->num_blocks(); }                   ///< number of blocks
  Block operator[](std::size_t index) const { return matrix_->block(index); }  ///< block by index
  Iterator begin() const { return {*matrix_, 0}; }                             ///< first block
  Iterator end() const { return {*matrix_, size()}; }                          ///< past the last

 private:
  const BlockDiagonalMatrix* matrix_;
};

inline BlockDiagonalMatrix::Block BlockDiagonalMatrix::block(std::size_t index) const {
  const Place& place = places_[index];
  return {place.offset,
          {values_.data() + place.data, place.size, place.size},
          {parents_.data() + place.offset, static_cast<std::size_t>(place.size)}};
}

inline Eigen::Map<Eigen::MatrixXd> BlockDiagonalMatrix::mutable_block(std::size_t index) {
  const Place& place = places_[index];
  return {values_.data() + place.data, place.size, place.size};
}

inline BlockDiagonalMatrix::Blocks BlockDiagonalMatrix::blocks() const { return Blocks(*this); }

}  // namespace amontons
