#pragma once

#include "amontons/math/pose.h"

#include <Eigen/Core>

namespace amontons {

/// Spatial vectors stack the angular part first: V = (w, v), F = (torque, force).
using Vector6d = Eigen::Matrix<double, 6, 1>;
using Matrix6d = Eigen::Matrix<double, 6, 6>;

/// Mass distribution of a rigid body in a frame B: mass, center of mass, and the rotational
/// inertia *about the center of mass*.
struct SpatialInertia {
  double mass = 0.0;                                         ///< [kg]
  Eigen::Vector3d center_of_mass = Eigen::Vector3d::Zero();  ///< in B, from B's origin [m]
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();         ///< about the center, in B [kg m^2]

  /// The 6 x 6 matrix about B's origin, in B:  [I_o, m c^; -m c^, m 1].
  Matrix6d matrix() const;

  /// Rotational inertia about B's origin, in B [kg m^2].
  Eigen::Matrix3d inertia_about_origin() const;
};

/// The same distribution described in frame A.
SpatialInertia transform(const Pose& X_AB, const SpatialInertia& inertia_B);

/// Two distributions in one frame, rigidly joined. Zero mass on both sides is allowed.
SpatialInertia combine(const SpatialInertia& a, const SpatialInertia& b);

}  // namespace amontons
