#pragma once

#include <Eigen/Core>

namespace amontons {

/// Holds a rigid transform X_AB: orientation and position of frame B in frame A.
///
/// Adjacent letters cancel: X_AC = X_AB * X_BC, p_A = X_AB * p_B.
struct Pose {
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();  ///< R_AB, orthonormal [-]
  Eigen::Vector3d translation = Eigen::Vector3d::Zero();   ///< p_AB, in A [m]

  /// Returns X_BA of X_AB.
  Pose inverse() const { return {rotation.transpose(), -(rotation.transpose() * translation)}; }
};

/// Composes two transforms.
inline Pose operator*(const Pose& X_AB, const Pose& X_BC) {
  return {X_AB.rotation * X_BC.rotation, X_AB.rotation * X_BC.translation + X_AB.translation};
}

/// Returns a point given in B, expressed in A [m].
inline Eigen::Vector3d operator*(const Pose& X_AB, const Eigen::Vector3d& p_B) {
  return X_AB.rotation * p_B + X_AB.translation;
}

}  // namespace amontons
