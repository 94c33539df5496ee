#pragma once

#include "amontons/math/pose.h"

#include <Eigen/Core>

namespace amontons {

/// Stacks the angular part first: V = (w, v) [rad/s, m/s], F = (torque, force) [N m, N].
using Vector6d = Eigen::Matrix<double, 6, 1>;
using Matrix6d = Eigen::Matrix<double, 6, 6>;

/// Describes the mass distribution of a rigid body in a frame B: mass, center of mass, and the
/// rotational inertia *about the center of mass*.
struct SpatialInertia {
  double mass = 0.0;                                         ///< [kg]
  Eigen::Vector3d center_of_mass = Eigen::Vector3d::Zero();  ///< in B, from B's origin [m]
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();         ///< about the center, in B [kg m^2]

  /// Returns the 6 x 6 matrix about B's origin, in B:  [I_o, m c^; -m c^, m 1].
  Matrix6d matrix() const;

  /// Returns the rotational inertia about B's origin, in B [kg m^2].
  Eigen::Matrix3d inertia_about_origin() const;
};

/// Returns the 6 x 6 inertia [I_o, m c^; -m c^, m 1] about the origin of the axes.
/// @param mass           m [kg].
/// @param first_moment   m c [kg m].
/// @param second_moment  I_o [kg m^2].
Matrix6d inertia_matrix(double mass, const Eigen::Vector3d& first_moment,
                        const Eigen::Matrix3d& second_moment);

/// Returns true if a moment of inertia is exactly the same about every axis, as that of a ball.
bool is_isotropic(const Eigen::Matrix3d& moment);

/// Returns the same distribution described in frame A.
SpatialInertia transform(const Pose& X_AB, const SpatialInertia& inertia_B);

/// Returns two distributions in one frame, rigidly joined. Zero mass on both sides is allowed.
SpatialInertia combine(const SpatialInertia& a, const SpatialInertia& b);

}  // namespace amontons
