#pragma once

#include "amontons/simulation/scene/scene.h"

#include <string>

namespace amontons::experiments {

/// Returns the same scene read from a text, which is written here. A run of it can be verified and
/// shown, since the log of a run keeps the text. Polyhedra, terrains and linear tables become
/// files in memory, whose names begin with that of the scene.
///
/// It writes what the generators of public scenes use: bodies of simple shapes, polyhedra and
/// terrains that collide with all others or with nothing, materials, joints with springs and
/// dampers, servos with constant targets, wrenches, motions of joints.
/// @throws std::invalid_argument for a scene that holds something else.
Scene with_text(const Scene& scene, const std::string& name);

}  // namespace amontons::experiments
