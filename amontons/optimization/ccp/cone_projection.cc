#include "amontons/optimization/ccp/cone_projection.h"

#include <algorithm>

namespace amontons {
namespace {

using Eigen::Matrix2d;
using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

/// The gradient of r_n.
Vector3d normal_gradient(const Cone& cone, ConeLaw law, const Vector3d& z, double normal) {
  const double mu = cone.mu, length = z.head<2>().norm();
  const bool outside = length > mu * std::max(z.z(), 0.0) + cone.friction_offset;
  if (law == ConeLaw::Coulomb || !outside) return {0.0, 0.0, z.z() > 0.0 ? 1.0 : 0.0};
  if (!(normal > 0.0)) return Vector3d::Zero();
  Vector3d gradient;
  gradient.head<2>() = mu * z.head<2>() / length;
  gradient.z() = 1.0;
  return gradient / (1.0 + mu * mu);
}

/// Of the point of the disc of radius mu r_n + friction_offset.
Matrix3d derivative(const Cone& cone, const Vector3d& z, double normal, const Vector3d& gradient) {
  Matrix3d J = Matrix3d::Zero();
  J.row(2) = gradient;
  const double length = z.head<2>().norm(), radius = cone.mu * normal + cone.friction_offset;
  if (length <= radius) {
    J.topLeftCorner<2, 2>().setIdentity();
    return J;
  }
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
