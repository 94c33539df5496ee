#pragma once

#include <Eigen/Core>

#include <array>
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
  /// other than six degrees of freedom.
  bool copy(const BodySpaceOperator& W);

  /// Sets the reaction [3 n].
  void begin_sweep(const Eigen::VectorXd& r);
  /// Changes the reaction as a whole: r <- r + dr [3 n].
  void move_sweep(const Eigen::VectorXd& dr);

  /// Returns W_ii.
  const Eigen::Matrix3d& diagonal(int i) const { return diagonals_[i]; }

  /// Returns (W r)_i of the present reaction.
  Eigen::Vector3d response(int i) const {
    const Row& row = rows_[static_cast<std::size_t>(i)];
    double u[3] = {0.0, 0.0, 0.0};
    add_product(row.of_first, velocity_.data() + row.first, u);
    if (row.second >= 0) add_product(row.of_second, velocity_.data() + row.second, u);
    return {u[0], u[1], u[2]};
  }

  /// Changes the present reaction: r_i <- r_i + dr.
  void add(int i, const Eigen::Vector3d& dr) {
    const Row& row = rows_[static_cast<std::size_t>(i)];
    add_transposed(row.of_first, dr.data(), velocity_.data() + row.first);
    if (row.second >= 0) add_transposed(row.of_second, dr.data(), velocity_.data() + row.second);
  }

 private:
  using Block = std::array<double, 18>;  // G_ia [3 x 6], column by column

  /// Holds G_ia and G_ib of one contact, and the places of both velocities; -1: no second body.
  struct Row {
    Block of_first, of_second;
    Eigen::Index first = 0, second = -1;
  };

  // Plain loops of fixed length are inlined and unrolled; Eigen's products of blocks are not.
  static void add_product(const Block& G, const double* v, double* u) {
    for (std::size_t k = 0; k < 6; ++k) {
      for (std::size_t j = 0; j < 3; ++j) u[j] += G[3 * k + j] * v[k];
    }
  }
  static void add_transposed(const Block& G, const double* r, double* v) {
    for (std::size_t k = 0; k < 6; ++k) {
      v[k] += G[3 * k] * r[0] + G[3 * k + 1] * r[1] + G[3 * k + 2] * r[2];
    }
  }

  const Eigen::Matrix3d* diagonals_ = nullptr;  // of the operator [n]
  std::vector<Row> rows_;
  Eigen::VectorXd velocity_;  // G' r [sqrt(J)]
};

}  // namespace amontons
