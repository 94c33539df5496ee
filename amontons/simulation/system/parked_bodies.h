#pragma once

#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

namespace amontons {

/// Checks that values along all velocities [nv], such as efforts, are zero along the bases of trees
/// that are parked. Values of another size pass.
/// @param what  what they do, for the message: "set_efforts: an effort acts on".
/// @throws std::invalid_argument  naming the body along which one is not.
void require_parked_still(const System& system, const Eigen::VectorXd& values, const char* what);

}  // namespace amontons
