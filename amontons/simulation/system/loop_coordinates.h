#pragma once

#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

namespace amontons {

/// Measures the coordinates along joints that are rows of J (System::loop_coordinates()) at the
/// poses of `kinematics`, and stores them there.
void measure_loop_coordinates(const System& system, SystemKinematics& kinematics);

/// Adds a loop coordinate's row, times a factor, to the current block row of one row.
void add_loop_coordinate(const LoopCoordinates& loops, int loop, double factor,
                         BlockSparseMatrix& jacobian);

}  // namespace amontons
