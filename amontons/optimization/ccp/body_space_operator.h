#pragma once

#include "amontons/optimization/ccp/delassus_operator.h"
#include "amontons/optimization/dense/dense_lu.h"
#include "amontons/optimization/sparse/block_factorization.h"

#include <utility>
#include <vector>

namespace amontons {

/// Keeps W = G G' as G, whose block rows touch few bodies, mostly two. All operations act on
/// bodies, at a cost that grows with contacts and bodies and not with pairs of contacts. G contains
/// the inverse square root of the mass matrix, so that the kernel is I + G' D G.
class BodySpaceOperator final : public DelassusOperator {
 public:
  /// Removes all blocks; bodies have these numbers of degrees of freedom. Memory is kept.
  void reset(std::span<const int> body_sizes);

  /// Appends an empty block.
  void add_block();

  /// Adds a body to the last block; bodies ascending.
  /// @returns the place for G_ia [3 x size_a], column-major, to be filled before the next call.
  double* add_part(int body);

  /// Computes W_ii; to be called after all blocks are filled.
  void finish();

  /// Multiplies block row i by a factor.
  void scale_block(int i, double factor);

  int num_blocks() const override { return static_cast<int>(starts_.size()) - 1; }
  const Eigen::Matrix3d& diagonal(int i) const override {
    return diagonals_[static_cast<std::size_t>(i)];
  }
  void apply(const Eigen::VectorXd& r, Eigen::VectorXd& u) const override;
  void begin_sweep(const Eigen::VectorXd& r) override;
  Eigen::Vector3d response(int i) const override;
  void add(int i, const Eigen::Vector3d& dr) override;
  Eigen::VectorXd& sweep_state() override { return sweep_velocity_; }
  bool factor(std::span<const Eigen::Matrix3d> D, bool symmetric) override;
  int determinant_sign() const override;
  void solve(const Eigen::VectorXd& c, Eigen::VectorXd& dr, Eigen::VectorXd& du) override;
  void restrict_to(std::span<const int> blocks,
                   std::unique_ptr<DelassusOperator>& part) const override;
  Eigen::Index kernel_size() const override { return num_dofs_; }
  Eigen::Index kernel_size(std::span<const int> blocks) const override;

  /// Computes v <- G' r, the bodies' change of velocity [sqrt(J)].
  void transpose_times(const Eigen::VectorXd& r, Eigen::VectorXd& v) const;
  /// Computes u <- G v.
  void times(const Eigen::VectorXd& v, Eigen::VectorXd& u) const;

  std::span<const int> body_sizes() const { return body_sizes_; }  ///< degrees of freedom, by body
  /// Returns the first velocity of each body.
  std::span<const Eigen::Index> body_offsets() const { return body_offsets_; }
  /// Writes the pairs of bodies that share a block, ascending: the pattern of matrices in body
  /// space. The memory of `pairs` is used again.
  void find_body_pairs(std::vector<std::pair<int, int>>& pairs) const;

  /// Describes G_ia of one body, and the place of its velocity.
  struct Part {
    int body = 0;                           ///< number of the body
    int size = 0;                           ///< its degrees of freedom
    Eigen::Index offset = 0;                ///< first entry of its velocity
    std::size_t data = 0;                   ///< first of its values
    int first_column = 0, num_columns = 0;  ///< range in the list of columns that are not zero
  };
  /// Returns the bodies of block row i, ascending.
  std::span<const Part> parts(std::size_t i) const {
    return std::span(parts_).subspan(starts_[i], starts_[i + 1] - starts_[i]);
  }
  /// Returns G_ia [3 x size].
  Eigen::Map<const Eigen::Matrix3Xd> values(const Part& part) const {
    return {values_.data() + part.data, 3, part.size};
  }

 private:
  using KernelBlock = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

  /// Lists the columns of a part that are not zero: in a tree those of the links from the root to
  /// the contact.
  void find_columns(Part& part);
  std::span<const int> columns(const Part& part) const {
    return std::span(columns_).subspan(static_cast<std::size_t>(part.first_column),
                                       static_cast<std::size_t>(part.num_columns));
  }
  void add_response(const Part& part, const double* v, Eigen::Vector3d& u) const;
  void add_transposed(const Part& part, const Eigen::Vector3d& r, double* v) const;
  void add_tree_product(const Part& row, const Part& column, const Eigen::Matrix3d& D,
                        KernelBlock target) const;
  template <typename Target>
  void add_to_kernel(std::size_t i, const Target& target) const;
  int find_line(std::size_t block) const;
  void add_line_to_dense(std::size_t block, Eigen::Map<Eigen::MatrixXd>& matrix) const;
  bool factor_dense();
  bool factor_sparse(bool symmetric);

  std::vector<int> body_sizes_;
  std::vector<Eigen::Index> body_offsets_;
  Eigen::Index num_dofs_ = 0;
  std::vector<std::size_t> starts_ = {0};  // block -> first part; one past the end at the end
  std::vector<Part> parts_;
  std::vector<double> values_;
  std::vector<int> columns_;  // of the parts whose size is not 6, one after the other
  std::vector<Eigen::Matrix3d> diagonals_;
  std::vector<int> lines_;             // by block: the only row that is not zero, or -1
  Eigen::VectorXd sweep_velocity_;     // G' r of the present reaction
  mutable Eigen::VectorXd velocity_;   // scratch memory of apply(), solve()
  mutable std::vector<char> touched_;  // the same of kernel_size(): by body
  std::vector<Eigen::Matrix3d> D_;
  DenseLu dense_kernel_;  // kernel of few bodies
  BlockFactorization sparse_kernel_;
  bool has_pattern_ = false;                // pairs_ are those of the blocks
  std::vector<std::pair<int, int>> pairs_;  // bodies that share a block
};

}  // namespace amontons
