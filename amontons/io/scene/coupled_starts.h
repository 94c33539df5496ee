#pragma once

#include "amontons/simulation/scene/scene.h"

namespace amontons::io {

/// Moves joints that follow others or a prescribed motion to where these want them at the start,
/// unless scene or file give them a position. A ledger line tells of each that does not start at
/// zero, a warning of each that starts elsewhere than its coupling or motion wants. For the scene's
/// couplings and those of its models.
/// @throws ParseError if joints follow each other in a circle, and for couplings of a model in
/// maximal coordinates.
void start_coupled_joints(Scene& scene);

}  // namespace amontons::io
