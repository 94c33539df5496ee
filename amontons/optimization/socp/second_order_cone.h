#pragma once

#include <Eigen/Core>

namespace amontons {

// Implements the Jordan algebra of the second-order cone L = {x_0 >= |(x_1, x_2)|}
// [Faraut, Koranyi 1994].
//
// A friction cone in the order (n, t1, t2): x = (mu r_n, r_t) in L for r in K, z = (y_n / mu, y_t)
// in L for y in K*, and x . z = r . y.

/// Returns x = (mu r_n, r_t).
inline Eigen::Vector3d to_primal(const Eigen::Vector3d& r, double mu) {
  return {mu * r.z(), r.x(), r.y()};
}

/// Returns z = (y_n / mu, y_t); mu > 0.
inline Eigen::Vector3d to_dual(const Eigen::Vector3d& y, double mu) {
  return {y.z() / mu, y.x(), y.y()};
}

/// Inverts to_primal(); mu > 0.
inline Eigen::Vector3d from_primal(const Eigen::Vector3d& x, double mu) {
  return {x(1), x(2), x(0) / mu};
}

/// Returns a o b.
inline Eigen::Vector3d jordan_product(const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
  Eigen::Vector3d result;
  result(0) = a.dot(b);
  result.tail<2>() = a(0) * b.tail<2>() + b(0) * a.tail<2>();
  return result;
}

/// Returns the x of lambda o x = d.
Eigen::Vector3d jordan_quotient(const Eigen::Vector3d& d, const Eigen::Vector3d& lambda);

/// Returns the largest step with x + step d in L; 1e30 where no step leaves it.
double step_to_boundary(const Eigen::Vector3d& x, const Eigen::Vector3d& d);

/// Holds the Nesterov-Todd scaling of two interior points: W z = W^-1 x = lambda. With w_0^2 =
/// 1 + |w_1|^2 the eigenvalues of W are size times w_0 + |w_1|, at (1, w_1 / |w_1|), its inverse,
/// at (1, -w_1 / |w_1|), and 1.
struct NesterovToddScaling {
  Eigen::Matrix3d W, inverse;
  Eigen::Vector3d lambda;
  Eigen::Vector3d point;  ///< w
  double size = 1.0;
};

/// Computes the scaling of two points inside L.
NesterovToddScaling nesterov_todd(const Eigen::Vector3d& x, const Eigen::Vector3d& z);

/// Holds the eigenvectors of W and its eigenvalues, which lose no digits where they differ by 10^9.
struct ScalingAxes {
  Eigen::Matrix3d vectors;  ///< columns: toward the point of the scaling, away from it, and across
  Eigen::Vector3d values;   ///< of W

  /// Returns V diag(factors) V' x.
  Eigen::Vector3d apply(const Eigen::Vector3d& factors, const Eigen::Vector3d& x) const {
    return vectors * factors.cwiseProduct(vectors.transpose() * x);
  }
};

/// Computes the eigenvectors and eigenvalues of a scaling.
ScalingAxes axes_of(const NesterovToddScaling& scaling);

}  // namespace amontons
