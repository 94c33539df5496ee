#pragma once

#include "amontons/dynamics/articulation.h"

#include <Eigen/Core>

namespace amontons {

/// Writes the rate dJ/dt [6 x nv] of the Jacobian of (w, v of the point p_W) of a link, in W, while
/// the tree moves at the velocities of its kinematics and the point moves with the link. The
/// acceleration of the point is J vdot + (dJ/dt) v.
///
/// Every column of a joint's subspace is constant in its frame F, so that it turns with the parent.
void frame_jacobian_rate(const Articulation& tree, const ArticulationKinematics& kinematics,
                         int link, const Eigen::Vector3d& p_W, Eigen::Ref<Eigen::MatrixXd> rate);

}  // namespace amontons
