#pragma once

#include "experiments/context.h"

namespace amontons::experiments {

/// Compares how long the models hold the boxes where no step repeats the last one: a random force
/// of 0.01 N acts on each box. Friction is the paper's and that of the published scene, 1e20.
/// @param pairs_at_most  pairs of boxes between the grippers.
void check_trials(const Context& context, int pairs_at_most, Findings& findings);

/// Returns the scene of `pairs` pairs of cubes between the grippers, pressed by 100 N for each
/// cube.
Scene grasp(const Context& context, int pairs, Overrides overrides);

}  // namespace amontons::experiments
