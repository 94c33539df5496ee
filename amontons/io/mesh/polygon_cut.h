#pragma once

#include "amontons/geometry/shapes/mass_properties.h"

#include <vector>

namespace amontons::io {

/// Appends a polygon of a mesh as triangles. A convex polygon becomes a fan about its first corner,
/// any other loses one ear after the other [Meisters 1975]. Corners that follow each other twice
/// count once; fewer than three corners make no triangle.
/// @param loop  vertices of the mesh, within bounds, in their order around the polygon.
/// @returns false, and appends nothing, for a polygon that is not convex and has more than 5000
///     corners: the time of cutting it grows with their square.
[[nodiscard]] bool cut_polygon(std::vector<int> loop, TriangleMesh& mesh);

/// Says why a polygon was not cut.
inline constexpr const char* kTooManyCorners =
    "a face that is not convex has more than 5000 corners; cut it into triangles and export the "
    "mesh again";

}  // namespace amontons::io
