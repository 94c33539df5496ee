#pragma once

#include "amontons/dynamics/articulation.h"

#include <Eigen/Core>

namespace amontons {

/// Bounds the second time derivative of the velocities of a point that is fixed on a link.
struct VelocityCurvature {
  double angular = 0.0;  ///< bound of |d^2 w/dt^2| [rad/s^3]
  double linear = 0.0;   ///< bound of |d^2 v/dt^2| of the point [m/s^3]
};

/// Returns the bounds while all rates v of a tree are constant. In an interval of length h,
/// velocities then differ from the line between its ends by h^2/8 times these bounds at most.
///
/// Let W be the sum of the turning rates of the joints from the root to a link. A vector fixed in
/// that link has a third derivative of at most 6 W^3 per length, because |w| <= W, |dw/dt| <= W^2
/// and |d^2 w/dt^2| <= 2 W^3. A displacement d along a joint, with the rate s, adds 6 W^3 |d| + 6
/// W^2 s, where W belongs to the joint's parent.
///
/// @param q      position of the tree at the start of an interval.
/// @param h      length of the interval [s].
/// @param offset upper bound of the distance from the link's origin to the point [m].
VelocityCurvature velocity_curvature(const Articulation& tree, int link,
                                     const Eigen::Ref<const Eigen::VectorXd>& q,
                                     const Eigen::Ref<const Eigen::VectorXd>& v, double h,
                                     double offset);

}  // namespace amontons
