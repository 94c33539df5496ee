#pragma once

#include "amontons/geometry/shapes/mass_properties.h"

#include <vector>

namespace amontons {

/// Splits a mesh into the parts that share no vertex, in the order of their first triangles. The
/// triangles and vertices of each part keep their order.
/// @throws std::invalid_argument if a triangle names a vertex that does not exist.
std::vector<TriangleMesh> connected_components(const TriangleMesh& mesh);

}  // namespace amontons
