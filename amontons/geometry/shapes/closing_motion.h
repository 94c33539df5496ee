#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace amontons {

/// Bounds the gaps that two shapes A and B may close within a time: at a point x with the normal n
/// from A into B the gap `still` + `time` times the speed at which it closes there. Gaps that open,
/// or along which the shapes slide, are small then, however fast these move.
struct ClosingMotion {
  /// Holds the velocity of B against A: linear + angular x x at the point x [m/s, rad/s].
  struct Twist {
    Eigen::Vector3d linear = {0, 0, 0}, angular = {0, 0, 0};  ///< [m/s], [rad/s]
    /// Returns the velocity at a point [m/s].
    Eigen::Vector3d at(const Eigen::Vector3d& x) const { return linear + angular.cross(x); }
  };
  std::array<Twist, 2> twists;  ///< two that may hold; the one that closes a gap faster counts
  double time = 0.0;            ///< [s]
  double still = 0.0;           ///< [m]
  /// Holds the angular velocities of a shape itself that belong to the twists [rad/s].
  using Turning = std::array<Eigen::Vector3d, 2>;
  /// Those of A and of B; none for a shape that cannot turn.
  std::array<std::optional<Turning>, 2> turning = {};

  /// Returns the largest gap that may close at a point along a unit normal [m].
  double gap_at(const Eigen::Vector3d& x, const Eigen::Vector3d& n) const {
    const double closing = std::max(-n.dot(twists[0].at(x)), -n.dot(twists[1].at(x)));
    return still + time * std::max(closing, 0.0);
  }
  /// Returns the motion of A against B.
  ClosingMotion reversed() const {
    ClosingMotion other = *this;
    for (Twist& twist : other.twists) twist = {-twist.linear, -twist.angular};
    std::swap(other.turning[0], other.turning[1]);
    return other;
  }
  /// Returns the same motion in another frame.
  /// @param R  orientation of this frame in the other one.
  /// @param p  origin of this frame in the other one [m].
  ClosingMotion in_frame(const Eigen::Matrix3d& R, const Eigen::Vector3d& p) const {
    ClosingMotion other = *this;
    for (Twist& twist : other.twists) {
      twist.angular = R * twist.angular;
      twist.linear = R * twist.linear - twist.angular.cross(p);
    }
    for (std::optional<Turning>& own : other.turning) {
      if (own) *own = {R * (*own)[0], R * (*own)[1]};
    }
    return other;
  }
};

}  // namespace amontons
