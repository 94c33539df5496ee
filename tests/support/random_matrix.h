#pragma once

#include <Eigen/Core>

#include <random>

namespace amontons::test {

/// Draws entries from the standard normal distribution, column by column.
inline Eigen::MatrixXd random_matrix(std::mt19937_64& random, Eigen::Index rows,
                                     Eigen::Index cols) {
  std::normal_distribution<double> normal;
  return Eigen::MatrixXd::NullaryExpr(rows, cols, [&] { return normal(random); });
}

}  // namespace amontons::test
