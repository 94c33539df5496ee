#pragma once

#include "amontons/simulation/scene/scene.h"

namespace amontons::experiments {

/// Returns the same scene read from a text, which is written here. A run of it can be verified and
/// shown, since the log of a run keeps the text. Polyhedra and terrains become files in memory.
///
/// It writes what the generators of public scenes use: bodies of simple shapes, polyhedra and
/// terrains that collide with all others or with nothing, materials, joints with springs and
/// dampers, servos with constant targets, constant wrenches, sinusoidal motions of joints.
/// @throws std::invalid_argument for a scene that holds something else.
Scene with_text(const Scene& scene);

}  // namespace amontons::experiments
