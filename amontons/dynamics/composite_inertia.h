#pragma once

#include "amontons/math/spatial_inertia.h"

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace amontons {

/// Holds the inertia of a link with its subtree, about the link's own origin, in world axes.
/// Moments are never taken about the world origin, where a distant body would lose its digits.
struct CompositeInertia {
  double mass = 0.0;                                        ///< [kg]
  Eigen::Vector3d first_moment = Eigen::Vector3d::Zero();   ///< mass * center [kg m]
  Eigen::Matrix3d second_moment = Eigen::Matrix3d::Zero();  ///< [kg m^2]

  /// Returns the (angular about the origin, linear) momentum at the velocity V of the origin, in W.
  Vector6d momentum(const Vector6d& V) const;

  /// Adds the inertia of `child`, whose origin lies at d from this one [m].
  void add(const CompositeInertia& child, const Eigen::Vector3d& d);
};

inline Vector6d CompositeInertia::momentum(const Vector6d& V) const {
  const Eigen::Vector3d w = V.head<3>();
  const Eigen::Vector3d v = V.tail<3>();
  Vector6d result;
  result << second_moment * w + first_moment.cross(v), mass * v + w.cross(first_moment);
  return result;
}

// The parallel axis theorem with g = h + m d / 2, h the child's first moment:
//   -[d][h] - [h][d] - m [d][d] = 2 (d . g) 1 - g d' - d g'.
inline void CompositeInertia::add(const CompositeInertia& child, const Eigen::Vector3d& d) {
  const Eigen::Vector3d g = child.first_moment + 0.5 * child.mass * d;
  mass += child.mass;
  first_moment += child.first_moment + child.mass * d;
  const double twice = 2.0 * d.dot(g);
  const auto entry = [&](int row, int col) {
    return child.second_moment(row, col) - (g[row] * d[col] + d[row] * g[col]);
  };
  second_moment(0, 0) += entry(0, 0) + twice;
  second_moment(1, 1) += entry(1, 1) + twice;
  second_moment(2, 2) += entry(2, 2) + twice;
  second_moment(0, 1) = second_moment(1, 0) += entry(0, 1);
  second_moment(0, 2) = second_moment(2, 0) += entry(0, 2);
  second_moment(1, 2) = second_moment(2, 1) += entry(1, 2);
}

}  // namespace amontons
