#include "amontons/math/spatial_inertia.h"

#include "amontons/math/rotation.h"

namespace amontons {
namespace {

/// Returns the inertia of a point mass m [kg] at c [m] about the origin (parallel axis theorem).
Eigen::Matrix3d point_inertia(double m, const Eigen::Vector3d& c) {
  return m * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
}

}  // namespace

Eigen::Matrix3d SpatialInertia::inertia_about_origin() const {
  return inertia + point_inertia(mass, center_of_mass);
}

Matrix6d inertia_matrix(double mass, const Eigen::Vector3d& first_moment,
                        const Eigen::Matrix3d& second_moment) {
  const Eigen::Matrix3d mc = skew(first_moment);
  Matrix6d result;
  result.topLeftCorner<3, 3>() = second_moment;
  result.topRightCorner<3, 3>() = mc;
  result.bottomLeftCorner<3, 3>() = -mc;
  result.bottomRightCorner<3, 3>() = mass * Eigen::Matrix3d::Identity();
  return result;
}

Matrix6d SpatialInertia::matrix() const {
  return inertia_matrix(mass, mass * center_of_mass, inertia_about_origin());
}

bool is_isotropic(const Eigen::Matrix3d& moment) {
  return moment.isDiagonal(0.0) && moment(0, 0) == moment(1, 1) && moment(1, 1) == moment(2, 2);
}

SpatialInertia transform(const Pose& X_AB, const SpatialInertia& inertia_B) {
  // R I R' turns the inertia; the center of mass moves as a point.
  return {inertia_B.mass, X_AB * inertia_B.center_of_mass,
          X_AB.rotation * inertia_B.inertia * X_AB.rotation.transpose()};
}

SpatialInertia combine(const SpatialInertia& a, const SpatialInertia& b) {
  const double mass = a.mass + b.mass;
  // Two massless distributions have no center of mass: their inertias add up.
  if (mass == 0.0) return {0.0, Eigen::Vector3d::Zero(), a.inertia + b.inertia};
  const Eigen::Vector3d center = (a.mass * a.center_of_mass + b.mass * b.center_of_mass) / mass;
  // Parallel axis theorem, from both centers to the common one.
  return {mass, center,
          a.inertia + point_inertia(a.mass, a.center_of_mass - center) + b.inertia +
              point_inertia(b.mass, b.center_of_mass - center)};
}

}  // namespace amontons
