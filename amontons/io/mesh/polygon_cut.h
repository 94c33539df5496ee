#pragma once

#include "amontons/geometry/shapes/mass_properties.h"

#include <vector>

namespace amontons::io {

/// Appends a polygon of a mesh as triangles. A convex polygon becomes a fan about its first corner,
/// any other loses one ear after the other [Meisters 1975]. Corners that follow each other twice
/// count once; fewer than three corners make no triangle.
/// @param loop  vertices of the mesh, within bounds, in their order around the polygon.
void cut_polygon(std::vector<int> loop, TriangleMesh& mesh);

}  // namespace amontons::io
