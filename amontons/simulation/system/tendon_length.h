#pragma once

#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

#include <vector>

namespace amontons {

/// Returns the bodies that the path of a tendon refers to, one or several times each; none for a
/// sum of joint coordinates.
std::vector<int> bodies_of_path(const LoopCoordinateSite& site);

/// Returns the length of a tendon [m] and adds its rate at velocities v, a sum of J v, to the
/// current row of a Jacobian.
///
/// The rate of a taut cord is that of its ends alone, because a point where it meets a surface
/// moves along a shortest way.
/// @param site        the tendon; loop coordinates that are listed earlier are measured already.
/// @param kinematics  poses of all bodies.
double measure_tendon(const System& system, const LoopCoordinateSite& site,
                      const SystemKinematics& kinematics, BlockSparseMatrix& jacobian);

}  // namespace amontons
