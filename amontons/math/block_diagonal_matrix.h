#pragma once

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// A symmetric positive definite matrix of dense diagonal blocks: the mass matrix of a system,
/// one block per articulation.
///
/// Inside a block, entry (i, j) may be nonzero only if one of the two is an ancestor of the other
/// in the block's tree of degrees of freedom (a chain, i.e. a dense block, if no tree is given).
class BlockDiagonalMatrix {
 public:
  struct Block {
    Eigen::Index offset = 0;   ///< first row and column of the block
    Eigen::MatrixXd matrix;    ///< [n x n], symmetric; both triangles are stored
    std::vector<int> parents;  ///< [n], parent of each row inside the block, < row; -1 at a root
  };

  /// Appends a block. `parents` empty means a dense block.
  /// @throws std::invalid_argument if the block is not square or a parent is not before its child.
  void add_block(Eigen::MatrixXd matrix, std::vector<int> parents = {});

  Eigen::Index size() const { return size_; }
  const std::vector<Block>& blocks() const { return blocks_; }

  Eigen::VectorXd operator*(const Eigen::Ref<const Eigen::VectorXd>& v) const;
  Eigen::MatrixXd to_dense() const;

 private:
  Eigen::Index size_ = 0;
  std::vector<Block> blocks_;
};

/// Factor M = L' L of a BlockDiagonalMatrix without fill-in [Featherstone 2008, sec. 6.5].
class BlockDiagonalFactor {
 public:
  BlockDiagonalFactor() = default;
  /// @throws std::domain_error if a pivot is not above 1e-14 times the block's largest diagonal
  /// entry: the matrix is not positive definite.
  explicit BlockDiagonalFactor(const BlockDiagonalMatrix& matrix);

  Eigen::Index size() const { return size_; }

  /// x <- M^-1 x, column by column.
  void solve_in_place(Eigen::Ref<Eigen::MatrixXd> x) const;
  Eigen::VectorXd solve(const Eigen::Ref<const Eigen::VectorXd>& x) const;

  /// The rows [offset, offset + n) alone: x_block <- M_block^-1 x_block.
  void solve_block_in_place(std::size_t block, Eigen::Ref<Eigen::MatrixXd> x_block) const;

  /// Index of the block that holds row `row`.
  std::size_t block_of_row(Eigen::Index row) const {
    return block_of_row_[static_cast<std::size_t>(row)];
  }
  const BlockDiagonalMatrix::Block& block(std::size_t index) const { return blocks_[index]; }
  std::size_t num_blocks() const { return blocks_.size(); }

 private:
  Eigen::Index size_ = 0;
  std::vector<BlockDiagonalMatrix::Block> blocks_;  // matrix: lower triangle holds L
  std::vector<std::size_t> block_of_row_;
};

}  // namespace amontons
