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

  /// x_block <- L^-T x_block, so that x'x of the result is x' M_block^-1 x.
  void whiten_block_in_place(std::size_t block, Eigen::Ref<Eigen::MatrixXd> x_block) const;

  /// Whether a block is that of a free body: dense, of size six. Then inverse_of_free() is known.
  bool is_free(std::size_t block) const { return free_index_[block] >= 0; }
  /// L^-1 of a free body's block.
  const Eigen::Matrix<double, 6, 6>& inverse_of_free(std::size_t block) const {
    return free_inverses_[static_cast<std::size_t>(free_index_[block])];
  }

  /// Index of the block that holds row `row`.
  std::size_t block_of_row(Eigen::Index row) const {
    return block_of_row_[static_cast<std::size_t>(row)];
  }
  const BlockDiagonalMatrix::Block& block(std::size_t index) const { return blocks_[index]; }
  std::size_t num_blocks() const { return blocks_.size(); }

 private:
  void note_free_blocks();

  Eigen::Index size_ = 0;
  std::vector<BlockDiagonalMatrix::Block> blocks_;  // matrix: lower triangle holds L
  std::vector<std::size_t> block_of_row_;
  std::vector<int> free_index_;  // block -> index in free_inverses_, or -1
  std::vector<Eigen::Matrix<double, 6, 6>> free_inverses_;
};

}  // namespace amontons
