#pragma once

#include "amontons/dynamics/articulation.h"

#include <Eigen/Core>

namespace amontons {

/// Coordinates of a tree about a configuration q_0: the displacement x [nv] means q_0 (+) x, the
/// point that Articulation::integrate() reaches from q_0 with v = x in a unit of time. Smooth for
/// turns below 2 pi, so that any integrator of ordinary differential equations works on it and
/// quaternions stay unit [Munthe-Kaas 1998].
///
/// The rate of x where the tree moves at v [nv].
void displacement_rate(const Articulation& tree, const Eigen::Ref<const Eigen::VectorXd>& x,
                       const Eigen::Ref<const Eigen::VectorXd>& v,
                       Eigen::Ref<Eigen::VectorXd> rate);

}  // namespace amontons
