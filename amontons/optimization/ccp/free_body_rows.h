#pragma once

#include <Eigen/Core>

#include <cstddef>
#include <vector>

namespace amontons {

class BodySpaceOperator;

/// Holds W = G G' of contacts between free bodies for sweeps: the rows of one contact, on one or
/// two bodies, lie in one place, and products have fixed sizes. A sweep is two to three times as
/// fast as through the operator.
class FreeBodyRows {
 public:
  /// Copies the rows of an operator, which must outlive them.
  /// @returns false, and holds nothing, where a block touches more than two bodies, or one of
  /// other than six degrees of freedom, or one at an odd place of the velocity.
  bool copy(const BodySpaceOperator& W);

  /// Sets the reaction [3 n].
  void begin_sweep(const Eigen::VectorXd& r);
  /// Returns G' r of the present reaction [sqrt(J)]. Who moves it moves the reaction.
  Eigen::VectorXd& sweep_state() { return velocity_; }

  /// Returns W_ii.
  const Eigen::Matrix3d& diagonal(int i) const { return diagonals_[i]; }

  /// Returns (W r)_i of the present reaction.
  Eigen::Vector3d response(int i) const {
    const Row& row = rows_[static_cast<std::size_t>(i)];
    const double* first = velocity_.data() + row.first;
    Pair x = product(row.of_first, 0, first), y = product(row.of_first, 1, first),
         z = product(row.of_first, 2, first);
    if (row.second >= 0) {
      const double* second = velocity_.data() + row.second;
      x += product(row.of_second, 0, second);
      y += product(row.of_second, 1, second);
      z += product(row.of_second, 2, second);
    }
    return {x.sum(), y.sum(), z.sum()};
  }

  /// Returns the normal component of (W r)_i alone.
  double normal_response(int i) const {
    const Row& row = rows_[static_cast<std::size_t>(i)];
    Pair z = product(row.of_first, 2, velocity_.data() + row.first);
    if (row.second >= 0) z += product(row.of_second, 2, velocity_.data() + row.second);
    return z.sum();
  }
  /// Returns the tangential components of (W r)_i alone.
  Eigen::Vector2d tangential_response(int i) const {
    const Row& row = rows_[static_cast<std::size_t>(i)];
    const double* first = velocity_.data() + row.first;
    Pair x = product(row.of_first, 0, first), y = product(row.of_first, 1, first);
    if (row.second >= 0) {
      const double* second = velocity_.data() + row.second;
      x += product(row.of_second, 0, second);
      y += product(row.of_second, 1, second);
    }
    return {x.sum(), y.sum()};
  }

  /// Changes the present reaction: r_i <- r_i + dr.
  void add(int i, const Eigen::Vector3d& dr) {
    const Row& row = rows_[static_cast<std::size_t>(i)];
    add_transposed(row.of_first, dr, velocity_.data() + row.first);
    if (row.second >= 0) add_transposed(row.of_second, dr, velocity_.data() + row.second);
  }

 private:
  // Rows of six numbers and velocities are read as three pairs, as every x86-64 multiplies them.
  using Pair = Eigen::Array2d;
  using ConstPairMap = Eigen::Map<const Pair, Eigen::Aligned16>;
  using PairMap = Eigen::Map<Pair, Eigen::Aligned16>;
  using Block = Eigen::Matrix<double, 3, 6, Eigen::RowMajor>;  // G_ia

  /// Holds G_ia and G_ib of one contact, and the places of both velocities; -1: no second body.
  struct Row {
    Block of_first, of_second;
    Eigen::Index first = 0, second = -1;
  };

  /// Returns two numbers whose sum is row j of G times v [6].
  static Pair product(const Block& G, int j, const double* v) {
    const double* g = G.data() + 6 * j;
    return ConstPairMap(g) * ConstPairMap(v) + ConstPairMap(g + 2) * ConstPairMap(v + 2) +
           ConstPairMap(g + 4) * ConstPairMap(v + 4);
  }
  /// Computes v <- v + G' r.
  static void add_transposed(const Block& G, const Eigen::Vector3d& r, double* v) {
    for (int k = 0; k < 6; k += 2) {
      const double* g = G.data() + k;
      PairMap(v + k) +=
          ConstPairMap(g) * r.x() + ConstPairMap(g + 6) * r.y() + ConstPairMap(g + 12) * r.z();
    }
  }

  const Eigen::Matrix3d* diagonals_ = nullptr;  // of the operator [n]
  std::vector<Row> rows_;
  Eigen::VectorXd velocity_;  // G' r [sqrt(J)]
};

}  // namespace amontons
