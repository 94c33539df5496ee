#pragma once

#include "amontons/simulation/system/state.h"
#include "amontons/simulation/system/system.h"

namespace amontons {

/// Moves q onto the loop joints: q <- q (+) M^-1 J'(J M^-1 J')^-1 (-Theta), repeated until Theta is
/// below 1e-12 [docs/theory.md, section 3: the alternative to stabilization]. Dependent rows are
/// dropped.
/// @returns the largest |Theta| left [m or rad].
double project_on_joints(const System& system, State& state);

}  // namespace amontons
