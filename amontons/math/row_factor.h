#pragma once

#include <Eigen/Core>

namespace amontons {

/// Independent rows X [r x m] that come and go one at a time, and their factor
///
///   X = L Q',   Q'Q = I,   L L' = X X'
///
/// L is the Cholesky factor of the rows' Gram matrix, updated by O(m r) per row [Daniel, Gragg,
/// Kaufman, Stewart 1976]. A new row's pivot is the length of what is left of it beside Q, made
/// orthogonal twice where once loses digits: right to rounding, where the Gram matrix would give
/// its square, so that whether a row depends on the others can be told down to small angles. Memory
/// is kept.
class RowFactor {
 public:
  /// Starts over with rows of length m.
  void reset(Eigen::Index m);
  /// Starts over with the rows of another one.
  void reset(const RowFactor& other);

  /// Adds x [m] unless it depends on the rows in hand; then coordinates() are those of x.
  /// @param least  length of what is left of x beside them, up to which it depends on them; >= 0.
  /// @returns whether it was added.
  bool add(const Eigen::Ref<const Eigen::VectorXd>& x, double least);

  /// Removes a row; those behind it move up.
  void remove(Eigen::Index place);

  Eigen::Index size() const { return size_; }                     ///< r
  Eigen::Index cols() const { return m_; }                        ///< m
  auto basis() const { return Q_.topLeftCorner(m_, size_); }      ///< Q [m x r]
  auto factor() const { return L_.topLeftCorner(size_, size_); }  ///< L [r x r], lower triangle

  /// Q'x [r] of the last x that was asked of add(), before it was added.
  auto coordinates() const { return coordinates_.head(num_coordinates_); }

  /// y <- L^-1 y  [r].
  void solve_factor(Eigen::Ref<Eigen::VectorXd> y) const;
  /// y <- L^-T y  [r]: from Q'(X'lambda) to lambda.
  void solve_transposed_factor(Eigen::Ref<Eigen::VectorXd> y) const;

  /// x <- x + Q y, y [r], x [m].
  void add_combination(const Eigen::Ref<const Eigen::VectorXd>& y, Eigen::VectorXd& x) const;

  /// y <- y - Q Q'y  [m].
  void project_out(Eigen::Ref<Eigen::VectorXd> y) const;

 private:
  void make_room(Eigen::Index size);

  Eigen::Index m_ = 0, size_ = 0;
  Eigen::MatrixXd Q_;                   // [at least m x at least r]
  Eigen::MatrixXd L_;                   // [at least r x r]
  Eigen::VectorXd left_, coordinates_;  // coordinates: at least as many as there are
  Eigen::Index num_coordinates_ = 0;
};

}  // namespace amontons
