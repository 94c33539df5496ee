#pragma once

#include "amontons/geometry/shapes/mass_properties.h"

namespace amontons {

/// Joins each vertex of a mesh to an earlier one within `tolerance` [m], > 0 (along each axis).
/// Triangles that then use a vertex twice are dropped, and so are vertices that no triangle uses.
/// The vertices that stay keep their order and place.
TriangleMesh weld_vertices(const TriangleMesh& mesh, double tolerance);

}  // namespace amontons
