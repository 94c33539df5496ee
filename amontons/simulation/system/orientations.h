#pragma once

#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

namespace amontons {

/// Checks the quaternions of free and spherical joints in positions q [nq]. The tolerance of 1e-6
/// admits quaternions of single precision.
/// @throws std::invalid_argument  for one that is not of unit length.
void require_orientations(const System& system, const Eigen::Ref<const Eigen::VectorXd>& q);

}  // namespace amontons
