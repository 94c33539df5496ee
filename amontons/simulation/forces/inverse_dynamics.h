#pragma once

#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

namespace amontons {

/// Returns the generalized forces [nv] that actuators must apply for the acceleration vdot: M vdot
/// + C(q, v) v - gravity + k (q - rest) + d v, without contacts, loop joints and wrenches. Joint
/// springs and dampers count with their values at q and v; dry friction does not. The weight of
/// parked bodies is carried.
///
/// @param q [nq], v [nv], vdot [nv].
/// @throws std::invalid_argument for a wrong size, numbers that are not finite, and quaternions
/// that are not of unit length.
Eigen::VectorXd inverse_dynamics(const System& system, const Eigen::Ref<const Eigen::VectorXd>& q,
                                 const Eigen::Ref<const Eigen::VectorXd>& v,
                                 const Eigen::Ref<const Eigen::VectorXd>& vdot);

/// Returns the generalized forces [nv] that hold the system still at q against gravity and springs.
Eigen::VectorXd gravity_compensation(const System& system,
                                     const Eigen::Ref<const Eigen::VectorXd>& q);

}  // namespace amontons
