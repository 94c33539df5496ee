#pragma once

#include "amontons/geometry/shapes/mass_properties.h"

#include <vector>

namespace amontons {

/// Returns the number of the part that each vertex belongs to, of the parts that share no vertex,
/// in the order of their first triangles; -1 for a vertex of no triangle.
/// @throws std::invalid_argument if a triangle names a vertex that does not exist.
std::vector<int> parts_of_vertices(const TriangleMesh& mesh);

/// Splits a mesh into the parts that share no vertex, in the order of their first triangles. The
/// triangles and vertices of each part keep their order.
/// @throws std::invalid_argument if a triangle names a vertex that does not exist.
std::vector<TriangleMesh> connected_components(const TriangleMesh& mesh);

}  // namespace amontons
