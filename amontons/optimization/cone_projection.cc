#include "amontons/optimization/cone_projection.h"

#include <algorithm>

namespace amontons {
namespace {

using Eigen::Matrix2d;
using Eigen::Vector2d;
using Eigen::Vector3d;

/// On the disc around the axis: radius = mu n + offset with dn = n_from_z . dz.
void project_radially(const Vector3d& z, double radius, double mu, const Vector3d& dn,
                      ConeProjection& result) {
  const Vector2d z_t = z.head<2>();
  const double length = z_t.norm();
  if (length <= radius) {
    result.r.head<2>() = z_t;
    result.J.topLeftCorner<2, 2>().setIdentity();
    return;
  }
  const Vector2d t = z_t / length;
  result.r.head<2>() = radius * t;
  result.J.topRows<2>() = mu * t * dn.transpose();
  result.J.topLeftCorner<2, 2>() += radius / length * (Matrix2d::Identity() - t * t.transpose());
}

}  // namespace

ConeProjection cone_projection(const Cone& cone, ConeLaw law, const Vector3d& z) {
  ConeProjection result;
  if (cone.kind == ConeKind::Equality) {
    result.r = z;
    result.J.setIdentity();
    return result;
  }
  const double mu = cone.mu;
  Vector3d dn(0.0, 0.0, z.z() > 0.0 ? 1.0 : 0.0);
  double normal = std::max(z.z(), 0.0);
  if (law == ConeLaw::Associated && z.head<2>().norm() > mu * normal + cone.offset) {
    const double length = z.head<2>().norm();
    const double mantle = (z.z() + mu * (length - cone.offset)) / (1.0 + mu * mu);
    if (mantle > 0.0) {
      normal = mantle;
      dn.head<2>() = mu / (1.0 + mu * mu) * z.head<2>() / length;
      dn.z() = 1.0 / (1.0 + mu * mu);
    } else {
      normal = 0.0;
      dn.setZero();
    }
  }
  result.r.z() = normal;
  result.J.row(2) = dn;
  project_radially(z, mu * normal + cone.offset, mu, dn, result);
  return result;
}

}  // namespace amontons
