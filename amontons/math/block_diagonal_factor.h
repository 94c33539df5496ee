#pragma once

#include "amontons/math/block_diagonal_matrix.h"

#include <Eigen/Core>

#include <cstddef>
#include <vector>

namespace amontons {

/// Holds the factor M = L' L of a BlockDiagonalMatrix without fill-in [Featherstone 2008,
/// sec. 6.5].
///
/// The blocks of free bodies, dense and of size six, are kept as L^-1.
class BlockDiagonalFactor {
 public:
  using FreeMatrix = Eigen::Matrix<double, 6, 6>;    ///< block of a body alone
  using FreeInverse = Eigen::Map<const FreeMatrix>;  ///< view of its place in the factor

  BlockDiagonalFactor() = default;
  /// Factors a matrix. @throws as compute().
  explicit BlockDiagonalFactor(const BlockDiagonalMatrix& matrix) { compute(matrix); }

  /// Factors another matrix, with memory kept.
  /// @throws std::domain_error if a pivot is not above 1e-14 times the diagonal entry of its row:
  /// the matrix is not positive definite.
  void compute(const BlockDiagonalMatrix& matrix);

  Eigen::Index size() const { return lower_.size(); }  ///< nv

  /// Computes x <- M^-1 x, column by column.
  void solve_in_place(Eigen::Ref<Eigen::MatrixXd> x) const;
  Eigen::VectorXd solve(const Eigen::Ref<const Eigen::VectorXd>& x) const;  ///< M^-1 x [nv]

  /// Computes x <- L^-T x, so that x'x of the result is x' M^-1 x.
  void whiten_in_place(Eigen::Ref<Eigen::MatrixXd> x) const;

  /// Computes x <- L^-1 x: from coordinates in which M is the identity back to velocities.
  void unwhiten_in_place(Eigen::Ref<Eigen::MatrixXd> x) const;

  /// Computes x_block <- M_block^-1 x_block for the rows [offset, offset + n) alone.
  void solve_block_in_place(std::size_t block, Eigen::Ref<Eigen::MatrixXd> x_block) const;

  /// Computes x_block <- L_block^-T x_block.
  void whiten_block_in_place(std::size_t block, Eigen::Ref<Eigen::MatrixXd> x_block) const;

  /// Computes x_block <- L_block^-1 x_block.
  void unwhiten_block_in_place(std::size_t block, Eigen::Ref<Eigen::MatrixXd> x_block) const;

  /// Returns true if a block belongs to a free body. Then inverse_of_free() is known.
  bool is_free(std::size_t block) const { return lower_.is_free(block); }
  /// Returns L^-1 of a free body's block, with zeros above the diagonal.
  FreeInverse inverse_of_free(std::size_t block) const {
    return FreeInverse(lower_.block(block).matrix.data());
  }

  /// Returns true if L^-1 of a free body is diagonal, as those of balls.
  bool is_diagonal(std::size_t block) const;

  /// Computes L^-1 of one free body's block, without a factor of the whole matrix.
  /// @throws as compute().
  static void invert_free(const BlockDiagonalMatrix& matrix, std::size_t block,
                          Eigen::Ref<FreeMatrix> inverse_factor);

  /// Returns the index of the block that holds row `row`.
  std::size_t block_of_row(Eigen::Index row) const {
    return block_of_row_[static_cast<std::size_t>(row)];
  }
  std::size_t num_blocks() const { return lower_.num_blocks(); }  ///< blocks of M
  /// Returns place and tree of a block; its matrix is the factor.
  BlockDiagonalMatrix::Block block(std::size_t index) const { return lower_.block(index); }

 private:
  BlockDiagonalMatrix lower_;  // L in the lower triangle; L^-1 of free bodies
  std::vector<std::size_t> block_of_row_;
};

}  // namespace amontons
