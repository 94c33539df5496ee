#include "amontons/optimization/socp/second_order_cone.h"

#include <algorithm>
#include <cmath>

namespace amontons {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

/// Returns x_0^2 - |(x_1, x_2)|^2, without cancellation near the boundary.
double determinant(const Vector3d& x) {
  const double tangential = x.tail<2>().norm();
  return (x(0) - tangential) * (x(0) + tangential);
}

}  // namespace

Vector3d jordan_quotient(const Vector3d& d, const Vector3d& lambda) {
  // The first row by the determinant, the others by substitution.
  Vector3d result;
  result(0) = (lambda(0) * d(0) - lambda.tail<2>().dot(d.tail<2>())) / determinant(lambda);
  result.tail<2>() = (d.tail<2>() - result(0) * lambda.tail<2>()) / lambda(0);
  return result;
}

double step_to_boundary(const Vector3d& x, const Vector3d& d) {
  // det(x + s d) = c + 2 b s + a s^2 vanishes on the boundary.
  const double a = determinant(d), c = determinant(x);
  const double b = x(0) * d(0) - x.tail<2>().dot(d.tail<2>());
  const double discriminant = b * b - a * c;
  double step = 1e30;
  if (d(0) < 0.0) step = -x(0) / d(0);
  if (discriminant < 0.0) return step;
  const double root = std::sqrt(discriminant);
  // The smallest positive root of c + 2 b s + a s^2, without cancellation.
  const double q = -(b + (b >= 0.0 ? root : -root));
  for (const double s : {a != 0.0 ? q / a : -1.0, q != 0.0 ? c / q : -1.0}) {
    if (s > 0.0) step = std::min(step, s);
  }
  return step;
}

NesterovToddScaling nesterov_todd(const Vector3d& x, const Vector3d& z) {
  // The scaling point is the geometric mean of x and z^-1, from normalized points.
  const double norm_x = std::sqrt(determinant(x)), norm_z = std::sqrt(determinant(z));
  const Vector3d xb = x / norm_x, zb = z / norm_z;
  const double gamma = std::sqrt(0.5 * (1.0 + xb.dot(zb)));
  Vector3d w = xb;
  w(0) += zb(0);
  w.tail<2>() -= zb.tail<2>();
  w /= 2.0 * gamma;
  const double eta = std::sqrt(norm_x / norm_z);
  // W = eta [w_0, w_1'; w_1, I + w_1 w_1' / (1 + w_0)]; the inverse has -w_1 and 1 / eta.
  NesterovToddScaling result;
  result.point = w;
  result.size = eta;
  Matrix3d& W = result.W;
  W(0, 0) = w(0);
  W.block<1, 2>(0, 1) = w.tail<2>().transpose();
  W.block<2, 1>(1, 0) = w.tail<2>();
  W.block<2, 2>(1, 1) =
      Eigen::Matrix2d::Identity() + w.tail<2>() * w.tail<2>().transpose() / (1.0 + w(0));
  result.inverse = W;
  result.inverse.block<1, 2>(0, 1) *= -1.0;
  result.inverse.block<2, 1>(1, 0) *= -1.0;
  result.inverse /= eta;
  W *= eta;
  result.lambda = W * z;
  return result;
}

ScalingAxes axes_of(const NesterovToddScaling& scaling) {
  const double tangential = scaling.point.tail<2>().norm();
  const double largest = scaling.point(0) + tangential;
  const Eigen::Vector2d along = tangential > 0.0
                                    ? Eigen::Vector2d(scaling.point.tail<2>() / tangential)
                                    : Eigen::Vector2d::UnitX();
  const double half = std::sqrt(0.5);
  ScalingAxes axes;
  axes.vectors.col(0) << half, half * along;
  axes.vectors.col(1) << half, -half * along;
  axes.vectors.col(2) << 0.0, -along.y(), along.x();
  axes.values = {scaling.size * largest, scaling.size / largest, scaling.size};
  return axes;
}

}  // namespace amontons
