#pragma once

#include "amontons/dynamics/articulation.h"

#include <Eigen/Core>

namespace amontons {

/// How much the velocities of a point that rides on a link may curve over time.
struct VelocityCurvature {
  double angular = 0.0;  ///< bound of |d^2 w/dt^2| [rad/s^3]
  double linear = 0.0;   ///< bound of |d^2 v/dt^2| of the point [m/s^3]
};

/// While all rates v of a tree are constant. In an interval of length h velocities then differ from
/// the line between its ends by h^2/8 times this at most.
///
/// W_i the rates of turning of joints up to link i, added up, a vector fixed in that link has a
/// third derivative of at most 6 W_i^3 per length: |w| <= W, |dw/dt| <= W^2, |d^2 w/dt^2| <= 2 W^3.
/// A displacement d along a joint, with the rate s, has 6 W^3 |d| + 6 W^2 s by the joint's parent.
///
/// @param q      of the tree at the start of an interval.
/// @param h      its length [s].
/// @param offset from the link's origin to the point, at most [m].
VelocityCurvature velocity_curvature(const Articulation& tree, int link,
                                     const Eigen::Ref<const Eigen::VectorXd>& q,
                                     const Eigen::Ref<const Eigen::VectorXd>& v, double h,
                                     double offset);

}  // namespace amontons
