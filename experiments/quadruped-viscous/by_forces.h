#pragma once

#include "experiments/context.h"

namespace amontons::experiments {

/// Names the ground of a walk.
enum class Ground {
  Level,    ///< a plane
  Terrain,  ///< the terrain of the other walks
};

/// Follows the walk by RK4 and forces, event by event, by modified pivoting and by the paper's
/// Lemke.
/// @param duration  [s].
/// @returns the time of the walk by Lemke's method over that by modified pivoting.
double check_by_forces(const Context& context, Ground ground, double duration, Findings& findings);

}  // namespace amontons::experiments
