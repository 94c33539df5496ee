#pragma once

#include "amontons/math/block_diagonal_factor.h"
#include "amontons/math/block_diagonal_matrix.h"
#include "amontons/math/block_sparse_matrix.h"
#include "amontons/optimization/sparse/block_factorization.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <span>
#include <utility>
#include <vector>

namespace amontons {

/// Lists the articulations and the block rows of J that connect them, both ascending.
struct Linkage {
  std::vector<int> trees;
  std::vector<std::size_t> block_rows;
};

/// Holds the motion of inertia of one linkage at one configuration,
///
///   M (x - v) + h b((v + x)/2) = J' lambda,   J x = J v,
///
/// in the velocities of its trees, one after the other [n]. The forces b(u) are C(u) u; those of a
/// free body that spins about an axis of its rows have M (swing x w) besides, because its velocity
/// turns with the axis (system/swing_rotation.h).
///
/// J M^-1 J' is factored by sparse blocks, with 1e-10 of its diagonal added. Refinement removes
/// what this adds, so that dependent rows do no harm.
class LinkageEquation {
 public:
  /// Prepares for a linkage; memory is kept.
  /// @param axes  spin axes of all articulations (spin_axes()).
  /// @throws std::domain_error if M of a tree is not positive definite.
  void reset(const System& system, const SystemKinematics& kinematics,
             const BlockSparseMatrix& jacobian, std::span<const Eigen::Vector3d> axes,
             const Linkage& linkage);

  Eigen::Index size() const { return M_.size(); }                ///< n
  const BlockDiagonalMatrix& mass_matrix() const { return M_; }  ///< M [n x n]
  /// Returns the first entry of a tree of the linkage in its velocities.
  Eigen::Index offset(std::size_t tree) const { return M_.block(tree).offset; }

  /// Factors J M^-1 J'; returns false if that fails.
  bool factor_rows();
  /// Moves x to J x = target along M^-1 J'; returns lambda with x += M^-1 J' lambda.
  Eigen::VectorXd project(const Eigen::VectorXd& target, Eigen::VectorXd& x);

  Eigen::VectorXd rates(const Eigen::VectorXd& x) const;              ///< J x
  Eigen::VectorXd impulses(const Eigen::VectorXd& multiplier) const;  ///< J' lambda
  Eigen::VectorXd response(const Eigen::VectorXd& impulses) const;    ///< M^-1 p
  Eigen::VectorXd bias(const Eigen::VectorXd& u);                     ///< b(u)
  double norm(const Eigen::VectorXd& x) const;                        ///< |x|_M [sqrt(J)]
  double norm_of_rates(const Eigen::VectorXd& rates) const;           ///< at unit rows [sqrt(J)]
  /// Returns the velocities that have turned with the axes of spinning bodies in the last step, of
  /// length h. The velocities of the centers of mass stay.
  Eigen::VectorXd swung(const Eigen::VectorXd& v, double h) const;

  /// Solves the equation for x by fixed-point iteration, then by Newton's method with exact
  /// derivatives; returns false if neither converges.
  bool solve(const Eigen::VectorXd& v, double h, Eigen::VectorXd& x);

 private:
  /// Holds one block of J: a block row and a tree of the linkage.
  struct RowBlock {
    int node = 0;
    std::size_t tree = 0;
    Eigen::MatrixXd values, response;  // [m x n of the tree], its M^-1 J' [n of the tree x m]
  };
  void add_rows(const BlockSparseMatrix& jacobian, std::size_t block_row, int node);
  void fill(BlockFactorization& factor, const std::vector<Eigen::MatrixXd>& responses,
            bool symmetric);
  bool iterate(const Eigen::VectorXd& v, double h, Eigen::VectorXd& x);
  bool newton(const Eigen::VectorXd& v, double h, Eigen::VectorXd& x);
  std::vector<Eigen::MatrixXd> slopes(const Eigen::VectorXd& u, double h);
  bool newton_step(const Eigen::VectorXd& v, double h, const Eigen::VectorXd& x,
                   Eigen::VectorXd& step);
  Eigen::VectorXd residual(const Eigen::VectorXd& v, double h, const Eigen::VectorXd& x);

  const System* system_ = nullptr;
  const SystemKinematics* kinematics_ = nullptr;
  std::vector<int> trees_;
  std::vector<Eigen::Vector3d> axes_, centers_;  // of single bodies, in F; center from M's origin
  BlockDiagonalMatrix M_;
  BlockDiagonalFactor factor_;
  std::vector<RowBlock> blocks_;
  std::vector<std::vector<std::size_t>> blocks_of_tree_;
  std::vector<int> sizes_;                  // rows of each node
  std::vector<Eigen::Index> first_rows_;    // of each node, and the number of rows at the end
  std::vector<std::pair<int, int>> pairs_;  // nodes that share a tree
  Eigen::VectorXd diagonal_;                // of J M^-1 J'
  BlockFactorization rows_, slope_;
  NewtonEulerWorkspace newton_euler_;
};

}  // namespace amontons
