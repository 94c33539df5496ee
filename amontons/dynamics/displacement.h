#pragma once

#include "amontons/dynamics/articulation.h"

#include <Eigen/Core>

namespace amontons {

/// Computes the rate of x where the tree moves at v [nv].
///
/// The displacement x [nv] is a coordinate of a tree about a configuration q_0. It means q_0 (+) x,
/// the point that Articulation::integrate() reaches from q_0 with v = x in a unit of time. It is
/// smooth for turns below 2 pi. Any integrator of ordinary differential equations therefore works
/// on it, and quaternions stay unit [Munthe-Kaas 1998].
void displacement_rate(const Articulation& tree, const Eigen::Ref<const Eigen::VectorXd>& x,
                       const Eigen::Ref<const Eigen::VectorXd>& v,
                       Eigen::Ref<Eigen::VectorXd> rate);

}  // namespace amontons
