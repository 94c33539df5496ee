#include "amontons/math/rotation.h"

#include "amontons/math/elementary.h"

#include <cmath>

namespace amontons {

Eigen::Matrix3d skew(const Eigen::Vector3d& a) {
  Eigen::Matrix3d result;
  result << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0;
  return result;
}

Eigen::Quaterniond quaternion_from_vector(const Eigen::Vector3d& w) {
  const double angle = w.norm();
  // sin(x/2)/x by its series where the quotient would lose digits.
  const double half_sinc =
      angle > 1e-4 ? elementary::sin(0.5 * angle) / angle : 0.5 - angle * angle / 48.0;
  return {elementary::cos(0.5 * angle), half_sinc * w.x(), half_sinc * w.y(), half_sinc * w.z()};
}

Eigen::Matrix3d rotation_from_vector(const Eigen::Vector3d& w) {
  return quaternion_from_vector(w).normalized().toRotationMatrix();
}

Eigen::Vector3d vector_from_quaternion(const Eigen::Quaterniond& quaternion) {
  // q and -q are one rotation: the sign with w >= 0 gives the angle in [0, pi].
  const double sign = quaternion.w() < 0.0 ? -1.0 : 1.0;
  const Eigen::Vector3d vec = sign * quaternion.vec();
  const double sine = vec.norm();
  const double cosine = sign * quaternion.w();
  // sin(x)/x = 1 to rounding for such small angles.
  if (sine < 1e-8) return 2.0 / cosine * vec;
  return 2.0 * elementary::atan2(sine, cosine) / sine * vec;
}

Eigen::Vector3d rotation_vector_rate(const Eigen::Vector3d& x, const Eigen::Vector3d& w) {
  const double angle2 = x.squaredNorm(), half = 0.5 * std::sqrt(angle2);
  // (1 - x/2 cot(x/2)) / x^2 by its series where the difference would lose digits.
  const double factor =
      angle2 > 1e-4 ? (1.0 - half / elementary::tan(half)) / angle2 : 1.0 / 12.0 + angle2 / 720.0;
  const Eigen::Vector3d turned = x.cross(w);
  return w - 0.5 * turned + factor * x.cross(turned);
}

Eigen::Matrix3d rotation_about(const Eigen::Vector3d& axis, double angle) {
  // Rodrigues' formula: c I + (1 - c) a a' + s [a].
  const double c = elementary::cos(angle), s = elementary::sin(angle);
  return c * Eigen::Matrix3d::Identity() + (1.0 - c) * axis * axis.transpose() + s * skew(axis);
}

Eigen::Matrix3d rotation_from_rpy(double roll, double pitch, double yaw) {
  // Extrinsic rotations about fixed axes multiply from the left.
  return rotation_about(Eigen::Vector3d::UnitZ(), yaw) *
         rotation_about(Eigen::Vector3d::UnitY(), pitch) *
         rotation_about(Eigen::Vector3d::UnitX(), roll);
}

Eigen::Quaterniond integrate_rotation(const Eigen::Quaterniond& quaternion,
                                      const Eigen::Vector3d& w_W, double h) {
  // The angular velocity is given in the world, so that its rotation multiplies from the left.
  return (quaternion_from_vector(h * w_W) * quaternion).normalized();
}

Eigen::Quaterniond quaternion_from_wxyz(const Eigen::Ref<const Eigen::Vector4d>& wxyz) {
  return {wxyz[0], wxyz[1], wxyz[2], wxyz[3]};
}

Eigen::Vector4d wxyz_from_quaternion(const Eigen::Quaterniond& quaternion) {
  return {quaternion.w(), quaternion.x(), quaternion.y(), quaternion.z()};
}

Eigen::Matrix3d contact_frame(const Eigen::Vector3d& normal_W) {
  // The cosine of 25 degrees [-], below which the x axis is far enough from the normal.
  const double kCos25 = 0.90630778703664996;
  const Eigen::Vector3d reference =
      std::abs(normal_W.x()) > kCos25 ? Eigen::Vector3d::UnitY() : Eigen::Vector3d::UnitX();
  // t1 is the reference without its normal part (Gram-Schmidt), t2 completes a right-handed frame.
  Eigen::Matrix3d frame;
  frame.col(0) = (reference - reference.dot(normal_W) * normal_W).normalized();
  frame.col(1) = normal_W.cross(frame.col(0));
  frame.col(2) = normal_W;
  return frame;
}

}  // namespace amontons
