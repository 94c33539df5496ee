#pragma once

#include "amontons/io/mesh/visual_mesh.h"

#include <cstddef>

namespace amontons::io {

/// Leaves a mesh at most so many triangles. Vertices in one cell of a grid become their mean, and
/// triangles without area go. The grid is the finest one that suffices, of up to 1024 cells along
/// the longest side of the mesh.
void thin_mesh(VisualMesh& mesh, std::size_t most_triangles);

}  // namespace amontons::io
