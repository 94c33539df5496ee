#pragma once

#include "amontons/simulation/scene/scene.h"

namespace amontons::peers {

/// Moves the frame of each moving body to its center of mass, along its principal axes, as every
/// engine can take it; polyhedra are given in that frame. Nothing else in the scene may refer to
/// these frames: it has neither joints nor actuators.
void place_in_principal_frames(Scene& scene);

}  // namespace amontons::peers
