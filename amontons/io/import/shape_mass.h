#pragma once

#include "amontons/simulation/scene/scene.h"

#include <vector>

namespace amontons::io {

/// Returns the mass distribution of a shape of a link, in the frame of the link. It has no mass
/// where the shape encloses no volume, nor does its hull.
/// @param density  [kg/m^3], positive.
SpatialInertia mass_of_shape(const SceneShape& shape, double density);

/// Adds two mass distributions in one frame, either of which may have no mass.
SpatialInertia sum_of_masses(const SpatialInertia& a, const SpatialInertia& b);

/// Returns the mass distribution of several shapes of a link, which may overlap.
/// @param density  [kg/m^3], positive.
SpatialInertia mass_of_shapes(const std::vector<SceneShape>& shapes, double density);

}  // namespace amontons::io
