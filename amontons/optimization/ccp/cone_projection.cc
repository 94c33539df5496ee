#include "amontons/optimization/ccp/cone_projection.h"

#include <algorithm>

namespace amontons {
namespace {

using Eigen::Matrix2d;
using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

/// Returns the gradient of r_n with respect to z.
Vector3d normal_gradient(const Cone& cone, ConeLaw law, const Vector3d& z, double normal) {
  const double mu = cone.mu, length = z.head<2>().norm();
  // Under Coulomb's law, and inside the cone, r_n depends on z_n alone.
  const bool outside = length > mu * std::max(z.z(), 0.0) + cone.friction_offset;
  if (law == ConeLaw::Coulomb || !outside) return {0.0, 0.0, z.z() > 0.0 ? 1.0 : 0.0};
  // On the polar cone the projection is the tip, which does not move.
  if (!(normal > 0.0)) return Vector3d::Zero();
  // On the mantle r_n = (z_n + mu (|z_t| - friction_offset)) / (1 + mu^2).
  Vector3d gradient;
  gradient.head<2>() = mu * z.head<2>() / length;
  gradient.z() = 1.0;
  return gradient / (1.0 + mu * mu);
}

/// Returns the derivative of the point of the disc of radius mu r_n + friction_offset, and of r_n.
Matrix3d derivative(const Cone& cone, const Vector3d& z, double normal, const Vector3d& gradient) {
  Matrix3d J = Matrix3d::Zero();
  J.row(2) = gradient;
  const double length = z.head<2>().norm(), radius = cone.mu * normal + cone.friction_offset;
  // Inside the disc the tangential part is z_t itself.
  if (length <= radius) {
    J.topLeftCorner<2, 2>().setIdentity();
    return J;
  }
  // On the rim r_t = radius t: the radius grows with r_n, t turns with z_t.
  const Vector2d t = z.head<2>() / length;
  J.topRows<2>() = cone.mu * t * gradient.transpose();
  J.topLeftCorner<2, 2>() += radius / length * (Matrix2d::Identity() - t * t.transpose());
  return J;
}

}  // namespace

ConeProjection cone_projection(const Cone& cone, ConeLaw law, const Vector3d& z) {
  ConeProjection result;
  result.r = project(cone, law, z);
  if (cone.kind == ConeKind::Equality) {
    result.J.setIdentity();
  } else {
    const double normal = result.r.z();
    result.J = derivative(cone, z, normal, normal_gradient(cone, law, z, normal));
  }
  return result;
}

}  // namespace amontons
