#pragma once

#include "amontons/geometry/shapes/mass_properties.h"

#include <vector>

namespace amontons {

/// The parts of a mesh that no vertex joins, in the order of their first triangles; triangles and
/// vertices of each keep their order.
/// @throws std::invalid_argument if a triangle names a vertex that does not exist.
std::vector<TriangleMesh> connected_components(const TriangleMesh& mesh);

}  // namespace amontons
