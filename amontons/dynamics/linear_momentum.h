#pragma once

#include "amontons/dynamics/articulation.h"

#include <Eigen/Core>

namespace amontons {

/// Holds a linear momentum along at most three coordinates [N s].
using LinearMomentum = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 3, 1>;

/// Locates the coordinates that move a whole tree without turning it, if its root has them.
struct LinearCoordinates {
  Eigen::Index first = 0, count = 0;
};

/// Returns them for a tree; a rotor's inertia on a root is no mass.
LinearCoordinates linear_coordinates(const Articulation& tree);

/// Returns the linear momentum of the tree along its linear coordinates, at the given kinematics
/// [N s].
LinearMomentum linear_momentum(const Articulation& tree, const ArticulationKinematics& at,
                               const LinearCoordinates& linear);

/// Returns M less the mass of a motion of the whole tree along its linear coordinates, so that
/// v' M_rel v / 2 is the kinetic energy relative to the center of mass [nv x nv].
Eigen::MatrixXd relative_inertia(const Articulation& tree,
                                 const Eigen::Ref<const Eigen::MatrixXd>& M);

}  // namespace amontons
