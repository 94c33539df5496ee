#include "amontons/geometry/shapes/bounding_box.h"

#include "amontons/geometry/shapes/collision_mesh.h"
#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "amontons/geometry/shapes/height_field.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Returns the box with a center and half lengths of its sides [m].
Aabb centered(const Eigen::Vector3d& center, const Eigen::Vector3d& half) {
  return {center - half, center + half};
}

/// Returns the box of the shape that std::visit() hands to it.
struct BoundingBox {
  const Pose& X_WG;
  bool is_tight = true;  // false: faces of polyhedra may stand off by their unevenness

  Eigen::Vector3d axis_z() const { return X_WG.rotation.col(2); }

  Aabb operator()(const Sphere& sphere) const {
    return centered(X_WG.translation, Eigen::Vector3d::Constant(sphere.radius));
  }
  Aabb operator()(const Box& box) const {
    // World axis i sees sum_j |R_ij| size_j / 2.
    return centered(X_WG.translation, X_WG.rotation.cwiseAbs() * (0.5 * box.size));
  }
  Aabb operator()(const Capsule& capsule) const {
    const Eigen::Vector3d half = 0.5 * capsule.length * axis_z().cwiseAbs();
    return centered(X_WG.translation, half.array() + capsule.radius);
  }
  Aabb operator()(const Cylinder& cylinder) const {
    // A disc normal to z reaches r sqrt(x_i^2 + y_i^2) along world axis i.
    const Eigen::Vector3d rim = X_WG.rotation.leftCols<2>().rowwise().norm();
    return centered(X_WG.translation,
                    0.5 * cylinder.length * axis_z().cwiseAbs() + cylinder.radius * rim);
  }
  Aabb operator()(const Ellipsoid& ellipsoid) const {
    // An ellipsoid is the image of the unit ball, which reaches |row i| along world axis i.
    const Eigen::Matrix3d axes = X_WG.rotation * ellipsoid.semi_axes.asDiagonal();
    return centered(X_WG.translation, axes.rowwise().norm());
  }
  Aabb operator()(const HalfSpace& half_space) const {
    // The solid ends along a world axis only where the normal is parallel to that axis.
    Aabb box = centered(Eigen::Vector3d::Zero(), Eigen::Vector3d::Constant(kInfinity));
    const Eigen::Vector3d normal = X_WG.rotation * half_space.normal;
    const double offset = half_space.offset + normal.dot(X_WG.translation);
    for (int i = 0; i < 3; ++i) {
      if (normal[(i + 1) % 3] != 0.0 || normal[(i + 2) % 3] != 0.0) continue;
      if (normal[i] > 0.0) box.upper[i] = offset / normal[i];
      if (normal[i] < 0.0) box.lower[i] = offset / normal[i];
    }
    return box;
  }
  Aabb operator()(const std::shared_ptr<const ConvexPolyhedron>& polyhedron) const {
    // The heights of the extreme vertices along each axis.
    Aabb box;
    for (int i = 0; i < 3; ++i) {
      const Eigen::Vector3d axis = X_WG.rotation.row(i);
      const auto height = [&](const Eigen::Vector3d& up) {
        if (!is_tight) return polyhedron->height_bound(up);
        return up.dot(polyhedron->vertices()[static_cast<std::size_t>(polyhedron->support(up))]);
      };
      box.upper[i] = X_WG.translation[i] + height(axis);
      box.lower[i] = X_WG.translation[i] - height(-axis);
    }
    return box;
  }
  Aabb operator()(const std::shared_ptr<const CollisionMesh>& mesh) const {
    if (mesh->hull()) return (*this)(mesh->hull());
    return box_around(mesh->tree().bounds(), X_WG);  // a flat sheet
  }
  Aabb operator()(const std::shared_ptr<const HeightField>& field) const {
    // The box around top and bottom plates, then without end in the direction of the solid.
    const Eigen::Vector3d top(0.0, 0.0, field->highest());
    const Eigen::Vector3d half(0.5 * field->size_x(), 0.5 * field->size_y(), 0.0);
    const Eigen::Vector3d bottom(0.0, 0.0, field->lowest());
    const Eigen::Vector3d sides = X_WG.rotation.cwiseAbs() * half;
    const Eigen::Vector3d high = X_WG * top, low = X_WG * bottom;
    Aabb box{high.cwiseMin(low) - sides, high.cwiseMax(low) + sides};
    // The solid extends without end against the field's z axis.
    for (int i = 0; i < 3; ++i) {
      if (axis_z()[i] > 0.0) box.lower[i] = -kInfinity;
      if (axis_z()[i] < 0.0) box.upper[i] = kInfinity;
    }
    return box;
  }
};

}  // namespace

Aabb bounding_box(const Shape& shape, const Pose& X_WG) {
  return std::visit(BoundingBox{X_WG}, shape);
}

Aabb containing_box(const Shape& shape, const Pose& X_WG) {
  return std::visit(BoundingBox{X_WG, false}, shape);
}

Aabb box_around(const Aabb& box, const Pose& X) {
  const Eigen::Vector3d center = X * (0.5 * (box.lower + box.upper));
  return centered(center, X.rotation.cwiseAbs() * (0.5 * (box.upper - box.lower)));
}

}  // namespace amontons
