#pragma once

#include <Eigen/Core>

namespace amontons {

/// Keeps an orthonormal basis Z [m x k] of the vectors of length m that are orthogonal to the rows
/// taken so far:
///
///   X Z = 0,   Z'Z = I,   k = m - number of rows
///
/// The length |Z'x| of a row's part outside of those taken costs O(k) for each entry of x that is
/// not zero, and one reflection takes it in, O(m k). A RowFactor asks O(m (m -
/// k)) of each row, also of one that depends on the others. Where rows are sparse and many more
/// than independent ones, this tests them first. Memory is kept.
class RowComplement {
 public:
  /// Removes all rows; new ones have length m.
  void reset(Eigen::Index m);

  /// Returns the length of the part of x [m] that is orthogonal to all rows taken; it is right to
  /// the rounding of x.
  double rest(const Eigen::Ref<const Eigen::VectorXd>& x);

  /// Takes the row that rest() measured last, whose rest must not be zero.
  /// @throws Stopped where the thread is asked to stop.
  void take();

  /// Returns Z'x [k] of the row that rest() measured last, before take().
  auto coordinates() const { return coordinates_.head(size_); }

  Eigen::Index size() const { return size_; }                 ///< k
  Eigen::Index rows() const { return m_; }                    ///< m
  auto basis() const { return Z_.topLeftCorner(m_, size_); }  ///< Z [m x k]

 private:
  using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  Eigen::Index m_ = 0, size_ = 0;
  RowMatrix Z_;                  // [at least m x at least k]
  Eigen::VectorXd coordinates_;  // at least k entries
};

}  // namespace amontons
