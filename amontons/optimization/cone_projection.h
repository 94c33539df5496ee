#pragma once

#include "amontons/optimization/cone_problem.h"

#include <Eigen/Core>

namespace amontons {

/// The set-valued force law of one cone as a function, and its generalized derivative.
struct ConeProjection {
  Eigen::Vector3d r = Eigen::Vector3d::Zero();  ///< P(z)
  Eigen::Matrix3d J = Eigen::Matrix3d::Zero();  ///< an element of dP/dz
};

/// Associated: the nearest point of the cone. Coulomb: (Proj_disc(z_t), max(0, z_n)), the disc of
/// radius mu max(0, z_n) + offset. Equality: z.
ConeProjection cone_projection(const Cone& cone, ConeLaw law, const Eigen::Vector3d& z);

}  // namespace amontons
