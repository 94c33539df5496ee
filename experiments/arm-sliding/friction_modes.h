#pragma once

#include <Eigen/Core>

#include <vector>

namespace amontons::experiments {

/// How a joint's dry friction acts: it sticks, or slides up or down.
enum class FrictionMode { Down = -1, Stick = 0, Up = 1 };

/// Modes of joints at rest, given what the others do: each sticks with a friction within its bound,
/// or starts to move against the whole of it.
///
///   a = H f + g,   |f_j| <= d_j and a_j = 0,   or   a_j > 0 and f_j = -d_j,   or   a_j < 0 and
///   f_j = d_j
///
/// H is positive definite, so that exactly one combination is consistent (a linear complementarity
/// problem with a P-matrix). All 3^n are tried, sticking first; that which violates the law least
/// is taken.
/// @param H      [n x n] accelerations by unit torques at the joints at rest.
/// @param g      [n] their accelerations without their friction.
/// @param bounds d [n], >= 0.
/// @param forced [n] 1 or -1: this joint slides up or down, whatever the law says of the instant
///   alone (it breaks away: a_j = 0 and f_j at its bound, where sticking is as consistent); 0:
///   free.
std::vector<FrictionMode> modes_at_rest(const Eigen::MatrixXd& H, const Eigen::VectorXd& g,
                                        const Eigen::VectorXd& bounds,
                                        const std::vector<int>& forced);

}  // namespace amontons::experiments
