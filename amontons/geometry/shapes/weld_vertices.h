#pragma once

#include "amontons/geometry/shapes/mass_properties.h"

namespace amontons {

/// Joins the vertices of a mesh that lie within `tolerance` [m], > 0, of an earlier one (along each
/// axis), drops the triangles that then use a vertex twice, and the vertices that no triangle uses.
/// The vertices that stay keep their order and place.
TriangleMesh weld_vertices(const TriangleMesh& mesh, double tolerance);

}  // namespace amontons
