#pragma once

#include "amontons/optimization/ccp/cone_problem.h"

#include <Eigen/Core>

namespace amontons {

/// Holds project() of cone_problem.h with its generalized derivative.
struct ConeProjection {
  Eigen::Vector3d r = Eigen::Vector3d::Zero();  ///< P(z)
  Eigen::Matrix3d J = Eigen::Matrix3d::Zero();  ///< an element of dP/dz
};

/// Computes the projection of z and its derivative.
/// @param cone  round: on pyramids no method needs the derivative.
ConeProjection cone_projection(const Cone& cone, ConeLaw law, const Eigen::Vector3d& z);

}  // namespace amontons
