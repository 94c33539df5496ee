#pragma once

#include "amontons/simulation/scene/scene.h"

namespace amontons::io {

/// Moves joints that follow another joint or a prescribed motion to the positions these demand at
/// the start. A position that the scene or a file gives is kept. A ledger line reports each joint
/// that does not start at zero. A warning reports each joint that starts elsewhere than its
/// coupling or motion demands. The couplings of the scene and those of its models are treated
/// alike. Joints that follow each other in a circle start as one of them does whose start is given,
/// if there is one.
/// @throws ParseError if joints follow each other in a circle that contradicts itself, and for
/// couplings of a model in maximal coordinates.
void start_coupled_joints(Scene& scene);

}  // namespace amontons::io
