#pragma once

#include "amontons/math/spatial_inertia.h"

#include <Eigen/Core>

namespace amontons {

/// Inertia of a link with all that it carries, about the link's own origin, in world axes. Moments
/// are never taken about the world origin, where a distant body would lose its digits.
struct CompositeInertia {
  double mass = 0.0;                                        ///< [kg]
  Eigen::Vector3d first_moment = Eigen::Vector3d::Zero();   ///< mass * center [kg m]
  Eigen::Matrix3d second_moment = Eigen::Matrix3d::Zero();  ///< [kg m^2]

  /// (angular about the origin, linear) momentum at the velocity V of the origin, in W.
  Vector6d momentum(const Vector6d& V) const;

  /// Adds what `child` carries, its origin lying at d from ours.
  void add(const CompositeInertia& child, const Eigen::Vector3d& d);
};

}  // namespace amontons
