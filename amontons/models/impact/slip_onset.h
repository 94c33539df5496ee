#pragma once

#include <Eigen/Core>

namespace amontons {

/// Holds the next motion of a colliding point that does not slip (contact/collision.h).
struct SlipOnset {
  bool sticks = false;
  Eigen::Vector2d friction = Eigen::Vector2d::Zero();  ///< dp_t/dp_n, |.| <= mu
};

/// Finds whether a point without slip sticks. It sticks if the friction that keeps it, -K_tt^-1
/// K_tn, is within the cone. Else it slips along e, the only unit vector with (g + mu K_tt) e =
/// K_tn for some g > 0. It is unique because |(g + mu K_tt)^-1 K_tn| falls from more than 1 to 0 as
/// g grows.
/// @param K   inverse inertia, >= 0, K_tt possibly singular [1/kg].
/// @param mu  friction coefficient, > 0 [-].
SlipOnset find_slip_onset(const Eigen::Matrix3d& K, double mu);

}  // namespace amontons
