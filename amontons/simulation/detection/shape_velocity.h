#pragma once

#include "amontons/math/pose.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

namespace amontons {

/// Holds the velocity of a shape, whose points are within `radius` [m] of its origin.
struct ShapeVelocity {
  Eigen::Vector3d linear = Eigen::Vector3d::Zero();   ///< of the origin [m/s]
  Eigen::Vector3d angular = Eigen::Vector3d::Zero();  ///< [rad/s]
  double radius = 0.0;

  /// Returns how fast points turn about the origin at most [m/s].
  double turning() const;
  /// Returns true if both have the same bits.
  bool operator==(const ShapeVelocity& other) const = default;
  /// Returns a bound for all points [m/s].
  double speed() const { return linear.norm() + turning(); }
  /// Returns the velocity of the point at `offset` [m] from the origin, moving with the shape.
  Eigen::Vector3d at(const Eigen::Vector3d& offset) const;
};

/// Returns the velocity of A against a body that moves as B: zero where both move as one body.
/// @param offset  from the origin of A to that of B, in the world [m].
ShapeVelocity relative_velocity(const ShapeVelocity& A, const ShapeVelocity& B,
                                const Eigen::Vector3d& offset);
/// Returns the difference of the velocities of two shapes, and how fast each turns [m/s]: an upper
/// bound of the speed at which they close a gap, along its normal.
double difference_of_speeds(const ShapeVelocity& A, const ShapeVelocity& B);
/// Returns a bound that is at most as large, and zero for shapes that move as one body.
/// Points that touch have one place, so that only the relative motion counts.
/// @param offset  from the origin of A to that of B, in the world [m].
double relative_speed(const ShapeVelocity& A, const ShapeVelocity& B,
                      const Eigen::Vector3d& offset);

/// Returns the velocity of a shape, whose bounding radius is measured about its origin.
/// @param X_WG  pose of the shape.
ShapeVelocity shape_velocity(const System& system, const SystemKinematics& kinematics, int shape,
                             const Pose& X_WG, const Eigen::Ref<const Eigen::VectorXd>& v);

/// Returns an upper bound of the speed of a shape's points: |v| + radius |omega| [m/s].
/// @param X_WG  pose of the shape.
double shape_speed(const System& system, const SystemKinematics& kinematics, int shape,
                   const Pose& X_WG, const Eigen::Ref<const Eigen::VectorXd>& v);

}  // namespace amontons
