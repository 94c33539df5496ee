#pragma once

#include <Eigen/Core>

#include <memory>
#include <span>

namespace amontons {

/// Represents the symmetric positive semidefinite matrix W of a cone problem, in blocks of three
/// rows, by the operations that solvers need. It is never formed where bodies are fewer than
/// contacts (BodySpaceOperator); ContactSpaceOperator keeps its blocks.
class DelassusOperator {
 public:
  virtual ~DelassusOperator() = default;

  virtual int num_blocks() const = 0;  ///< blocks of three rows each

  /// Returns W_ii.
  virtual const Eigen::Matrix3d& diagonal(int i) const = 0;

  /// Computes u <- W r.
  virtual void apply(const Eigen::VectorXd& r, Eigen::VectorXd& u) const = 0;

  // Sweeps over blocks, with a reaction that changes in place:
  /// Sets the reaction.
  virtual void begin_sweep(const Eigen::VectorXd& r) = 0;
  /// Returns (W r)_i of the present reaction.
  virtual Eigen::Vector3d response(int i) const = 0;
  /// Changes the present reaction: r_i <- r_i + dr.
  virtual void add(int i, const Eigen::Vector3d& dr) = 0;
  /// Returns what sweeps keep of the present reaction, linear in it: r itself, or G' r. Who moves
  /// it moves the reaction.
  virtual Eigen::VectorXd& sweep_state() = 0;

  // The kernel of every second-order method: dr = -c - D du, du = W dr, D block-diagonal.
  /// Factors I + D W (as I + G'D G where W = G G'). Blocks of D that are zero cost nothing.
  /// @param symmetric  every D_i is symmetric positive semidefinite.
  /// @returns false where the matrix is singular.
  virtual bool factor(std::span<const Eigen::Matrix3d> D, bool symmetric) = 0;
  /// Returns the sign of det(I + D W) of the matrix that was factored, 1 or -1.
  virtual int determinant_sign() const = 0;
  /// Solves the kernel: dr = -c - D W dr and du = W dr, with the D that was factored.
  virtual void solve(const Eigen::VectorXd& c, Eigen::VectorXd& dr, Eigen::VectorXd& du) = 0;

  /// Writes W of some blocks alone, ascending, to `part`: a new operator, or the memory of one from
  /// an earlier call.
  virtual void restrict_to(std::span<const int> blocks,
                           std::unique_ptr<DelassusOperator>& part) const = 0;

  /// Returns the largest number of rows of the matrix that factor() factors.
  virtual Eigen::Index kernel_size() const = 0;
  /// Returns the same for some blocks alone: no more than what they touch.
  virtual Eigen::Index kernel_size(std::span<const int> blocks) const = 0;
};

}  // namespace amontons
