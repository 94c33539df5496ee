#pragma once

#include "amontons/math/pose.h"

#include <Eigen/Core>

namespace amontons {

/// Bounds the velocities of a body in an interval of time.
struct MotionBound {
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();          ///< origin's velocity, about [m/s]
  double deviation = 0.0;                                      ///< bound of its error [m/s]
  Eigen::Vector3d angular_velocity = Eigen::Vector3d::Zero();  ///< about [rad/s]
  double angular_deviation = 0.0;                              ///< bound of its error [rad/s]
};

/// Describes how a body moves in the world: its pose over time, and bounds of its velocities.
class RigidMotion {
 public:
  virtual ~RigidMotion() = default;

  virtual Pose pose(double time) const = 0;  ///< X_WB [m] at a time [s].

  /// Returns bounds that hold in [begin, end] [s]. With begin = end they are the velocities
  /// themselves.
  virtual MotionBound bound(double begin, double end) const = 0;
};

/// Moves a body's origin with a constant acceleration, and turns the body about a fixed axis at a
/// constant rate.
class ConstantMotion final : public RigidMotion {
 public:
  /// Starts from a pose at time zero.
  /// @param velocity  of the body's origin [m/s].
  /// @param acceleration  of the body's origin [m/s^2].
  ConstantMotion(const Pose& X_WB, const Eigen::Vector3d& angular_velocity,
                 const Eigen::Vector3d& velocity,
                 const Eigen::Vector3d& acceleration = Eigen::Vector3d::Zero())
      : X_WB_(X_WB),
        angular_velocity_(angular_velocity),
        velocity_(velocity),
        acceleration_(acceleration),
        half_(0.5 * acceleration.norm()) {}

  Pose pose(double time) const override;  ///< X_WB [m] at a time [s].
  MotionBound bound(double begin, double end) const override {
    return {velocity_ + 0.5 * (begin + end) * acceleration_, (end - begin) * half_,
            angular_velocity_, 0.0};
  }

 private:
  Pose X_WB_;
  Eigen::Vector3d angular_velocity_, velocity_, acceleration_;
  double half_;  // half of the acceleration [m/s^2]
};

}  // namespace amontons
