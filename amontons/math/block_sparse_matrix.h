#pragma once

#include <Eigen/Core>

#include <span>
#include <vector>

namespace amontons {

/// Holds a matrix of dense blocks: the Jacobian of contacts or joints. A *block row* is one contact
/// (three rows) or one joint; it has a block for each articulation that it touches.
class BlockSparseMatrix {
 public:
  /// Gives place and size of a block.
  struct Block {
    Eigen::Index row = 0, col = 0;            ///< first row and column
    Eigen::Index num_rows = 0, num_cols = 0;  ///< size
    std::size_t data = 0;                     ///< offset into the values, column-major
  };
  using ConstBlockMap = Eigen::Map<const Eigen::MatrixXd>;  ///< values of a block, column-major

  /// Views one contact's rows on a free body, by far the most frequent block.
  using FreeBlockMap = Eigen::Map<const Eigen::Matrix<double, 3, 6>>;

  BlockSparseMatrix() = default;
  explicit BlockSparseMatrix(Eigen::Index num_cols) : cols_(num_cols) {}  ///< matrix without rows

  /// Removes all rows; memory is kept.
  void reset(Eigen::Index num_cols);

  /// Starts a new block row of `num_rows` rows below the last one; returns its first row.
  Eigen::Index add_block_row(Eigen::Index num_rows);

  /// Adds a block to the current block row. A second block at the same column is added to the
  /// first.
  /// @throws std::invalid_argument if the shape does not fit.
  void add_block(Eigen::Index col, const Eigen::Ref<const Eigen::MatrixXd>& values);

  /// Returns the block of the current block row at these columns, to add to: a new one of zeros, or
  /// the one that exists. Valid until the next block is added.
  /// @throws std::invalid_argument if the shape does not fit.
  Eigen::Map<Eigen::MatrixXd> block_at(Eigen::Index col, Eigen::Index num_cols);

  /// Appends a block row of another matrix that has as many columns.
  void append_block_row(const BlockSparseMatrix& other, std::size_t index);
  /// Gives a block row the values of one of another matrix, which has blocks of the same size at
  /// the same columns.
  /// @throws std::invalid_argument if it has others.
  void replace_block_row(std::size_t index, const BlockSparseMatrix& other,
                         std::size_t other_index);

  Eigen::Index rows() const { return rows_; }                        ///< rows of the matrix
  Eigen::Index cols() const { return cols_; }                        ///< columns of the matrix
  std::size_t num_block_rows() const { return row_starts_.size(); }  ///< number of block rows

  std::span<const Block> block_row(std::size_t index) const;  ///< its blocks, from left to right
  Eigen::Index first_row(std::size_t index) const {
    return first_rows_[index];
  }                                                ///< first row of a block row
  Eigen::Index num_rows(std::size_t index) const;  ///< rows of a block row
  /// Returns the values of a block [num_rows x num_cols].
  ConstBlockMap values(const Block& block) const {
    return {values_.data() + block.data, block.num_rows, block.num_cols};
  }

  /// Calls visit(values) with a map of fixed size where the block is 3 x 6.
  template <typename Visitor>
  void visit(const Block& block, Visitor&& visitor) const {
    if (block.num_rows == 3 && block.num_cols == 6) {
      visitor(FreeBlockMap(values_.data() + block.data));
    } else {
      visitor(values(block));
    }
  }

  Eigen::VectorXd operator*(const Eigen::Ref<const Eigen::VectorXd>& v) const;        ///< A v
  Eigen::VectorXd transpose_times(const Eigen::Ref<const Eigen::VectorXd>& x) const;  ///< A'x
  /// Writes A v into `result`, whose memory is kept; it must not overlap v.
  void times(const Eigen::Ref<const Eigen::VectorXd>& v, Eigen::VectorXd& result) const;
  /// Writes A'x into `result`, whose memory is kept; it must not overlap x.
  void transpose_times(const Eigen::Ref<const Eigen::VectorXd>& x, Eigen::VectorXd& result) const;
  /// Adds |A| |v|, the sum of the absolute terms of each entry of A v, to `sums` [rows].
  void add_absolute_terms(const Eigen::Ref<const Eigen::VectorXd>& v, Eigen::VectorXd& sums) const;
  Eigen::MatrixXd to_dense() const;  ///< [rows x cols]

 private:
  Eigen::Index rows_ = 0, cols_ = 0;
  std::vector<std::size_t> row_starts_;  // index into blocks_ of each block row's first block
  std::vector<Eigen::Index> first_rows_;
  std::vector<Block> blocks_;
  std::vector<double> values_;
};

}  // namespace amontons
