#pragma once

#include <Eigen/Core>
#include <Eigen/Eigenvalues>

namespace amontons {

/// Holds a positive semidefinite block D = A diag(d) A' of one contact by its factors. Products
/// keep the digits of each direction, where those of D's entries would lose what is small beside
/// the largest: near the boundary of a cone the d differ by 10^18.
struct SymmetricBlock {
  Eigen::Matrix3d axes = Eigen::Matrix3d::Zero();    ///< A; its columns need not be orthogonal
  Eigen::Vector3d values = Eigen::Vector3d::Zero();  ///< d >= 0

  /// Returns the factors of a symmetric matrix, without its negative eigenvalues.
  static SymmetricBlock of(const Eigen::Matrix3d& D) {
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(D);
    return {solver.eigenvectors(), solver.eigenvalues().cwiseMax(0.0)};
  }

  Eigen::Vector3d operator*(const Eigen::Vector3d& v) const {
    return axes * values.cwiseProduct(axes.transpose() * v);
  }
  Eigen::Matrix3d matrix() const { return axes * values.asDiagonal() * axes.transpose(); }
  bool is_zero() const { return values.isZero(0.0); }
};

}  // namespace amontons
