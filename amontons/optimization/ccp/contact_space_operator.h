#pragma once

#include "amontons/optimization/ccp/delassus_operator.h"
#include "amontons/optimization/dense/dense_lu.h"
#include "amontons/optimization/sparse/block_factorization.h"

#include <utility>
#include <vector>

namespace amontons {

/// Keeps W as its blocks W_ij, for problems that are given so, and for few contacts on large
/// bodies. The kernel I + D W is factored for the blocks with D_i != 0 alone. Its rows are scaled
/// to one size, so that stiff contacts do not cancel the digits of others.
class ContactSpaceOperator : public DelassusOperator {
 public:
  /// Removes all blocks, with memory kept.
  void reset(int num_blocks);

  /// Adds a block of W, both (i, j) and (j, i); rows ascending. Repeated ones are added.
  void add_entry(int row, int column, const Eigen::Matrix3d& value);

  /// Completes W; to be called after all blocks are added.
  void finish();

  /// Computes W <- S W S, S = diag(factor_i I).
  void scale(const Eigen::VectorXd& factors);

  int num_blocks() const override { return static_cast<int>(diagonals_.size()); }
  const Eigen::Matrix3d& diagonal(int i) const override {
    return diagonals_[static_cast<std::size_t>(i)];
  }
  void apply(const Eigen::VectorXd& r, Eigen::VectorXd& u) const override;
  void begin_sweep(const Eigen::VectorXd& r) override { sweep_reaction_ = r; }
  Eigen::Vector3d response(int i) const override;
  void add(int i, const Eigen::Vector3d& dr) override { sweep_reaction_.segment<3>(3 * i) += dr; }
  Eigen::VectorXd& sweep_state() override { return sweep_reaction_; }
  bool factor(std::span<const Eigen::Matrix3d> D, bool symmetric) override;
  int determinant_sign() const override;
  void solve(const Eigen::VectorXd& c, Eigen::VectorXd& dr, Eigen::VectorXd& du) override;
  void restrict_to(std::span<const int> blocks,
                   std::unique_ptr<DelassusOperator>& part) const override;
  Eigen::Index kernel_size() const override { return 3 * Eigen::Index{num_blocks()}; }
  Eigen::Index kernel_size(std::span<const int> blocks) const override {
    return 3 * static_cast<Eigen::Index>(blocks.size());
  }

 private:
  struct Neighbor {
    int column = 0;
    Eigen::Matrix3d value;
  };
  std::span<const Neighbor> row(int i) const {
    const std::size_t k = static_cast<std::size_t>(i);
    return std::span(neighbors_).subspan(starts_[k], starts_[k + 1] - starts_[k]);
  }
  Eigen::Vector3d scale_of_rows(std::size_t k) const;
  bool factor_dense();
  bool factor_sparse();
  void keep_pattern();
  void set_pattern();

  std::vector<std::size_t> starts_;  // block row -> first neighbor; one past the end at the end
  std::vector<Neighbor> neighbors_;  // columns ascending in each row
  std::vector<Eigen::Matrix3d> diagonals_;
  Eigen::VectorXd sweep_reaction_;

  std::vector<Eigen::Matrix3d> D_;
  // Blocks with D_i != 0; where the factor is sparse, others of the pattern, too.
  std::vector<int> active_;
  std::vector<int> place_;  // block -> index in active_, or -1
  bool dense_ = true;
  DenseLu dense_factor_;
  BlockFactorization sparse_factor_;
  std::vector<int> pattern_;     // blocks in the layout of the sparse factor, or none
  std::vector<int> joined_;      // union of pattern_ and active_
  std::vector<double*> places_;  // products with the neighbors of each block, in the sparse factor
  std::vector<int> sizes_;
  std::vector<std::pair<int, int>> pairs_;
  std::vector<Eigen::Vector3d> row_scales_;  // scales of the active blocks' rows
  Eigen::VectorXd response_, part_;
};

}  // namespace amontons
