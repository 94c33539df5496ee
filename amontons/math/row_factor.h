#pragma once

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Keeps independent rows X [r x m] that are added and removed one at a time, and their factor
///
///   X = L Q',   Q'Q = I,   L L' = X X'
///
/// L is the Cholesky factor of the rows' Gram matrix, updated by O(m r) per row [Daniel, Gragg,
/// Kaufman, Stewart 1976]. The pivot of a new row is the length of its part orthogonal to Q. That
/// part is orthogonalized twice where one pass loses digits, and is then right to rounding. The
/// Gram matrix would give the square of that length. Dependence is therefore detected down to small
/// angles. Rows whose entries lie apart cost nothing to each other: each column of Q is known to be
/// zero outside of a range. Memory is kept.
class RowFactor {
 public:
  /// Removes all rows; new ones have length m.
  void reset(Eigen::Index m);
  /// Copies the rows of another factor.
  void reset(const RowFactor& other);

  /// Adds x [m] unless it depends on the present rows; then coordinates() are those of x.
  /// @param least  length of the part of x orthogonal to them, up to which it depends on them; >=
  /// 0.
  /// @returns whether it was added.
  /// @throws Stopped where the thread is asked to stop.
  bool add(const Eigen::Ref<const Eigen::VectorXd>& x, double least);

  /// Removes a row; those behind it move up.
  void remove(Eigen::Index place);

  Eigen::Index size() const { return size_; }                     ///< r
  Eigen::Index cols() const { return m_; }                        ///< m
  auto basis() const { return Q_.topLeftCorner(m_, size_); }      ///< Q [m x r]
  auto factor() const { return L_.topLeftCorner(size_, size_); }  ///< L [r x r], lower triangle

  /// Returns Q'x [r] of the last x given to add(), with Q as it was then.
  auto coordinates() const { return coordinates_.head(num_coordinates_); }

  /// Computes y <- L^-1 y  [r].
  void solve_factor(Eigen::Ref<Eigen::VectorXd> y) const;
  /// Computes y <- L^-T y  [r]: from Q'(X'lambda) to lambda.
  void solve_transposed_factor(Eigen::Ref<Eigen::VectorXd> y) const;

  /// Computes x <- x + Q y, y [r], x [m].
  void add_combination(const Eigen::Ref<const Eigen::VectorXd>& y, Eigen::VectorXd& x) const;

  /// Computes y <- y - Q Q'y  [m].
  void project_out(Eigen::Ref<Eigen::VectorXd> y) const;

 private:
  /// Holds where a vector may have entries: from a multiple of 4 to one, or to the end, so that
  /// sums over the range have the bits of those over all entries.
  struct Range {
    Eigen::Index first = 0, last = 0;
  };

  void reserve_rows(Eigen::Index size);
  Range range_of(const Eigen::VectorXd& x) const;

  Eigen::Index m_ = 0, size_ = 0;
  Eigen::MatrixXd Q_;                   // [at least m x at least r]
  Eigen::MatrixXd L_;                   // [at least r x r]
  std::vector<Range> ranges_;           // of the columns of Q [at least r]
  Eigen::VectorXd left_, coordinates_;  // rest of a new row; coordinates_ has at least r entries
  Eigen::Index num_coordinates_ = 0;
};

}  // namespace amontons
