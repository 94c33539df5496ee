#pragma once

#include "amontons/geometry/shapes/mass_properties.h"

#include <optional>

namespace amontons {

/// Largest share of its holes in the area of a mesh that encloses a volume [-].
inline constexpr double kHoleShare = 0.1;

/// Returns a mesh with its holes closed by fans of triangles about their middles, or about a vertex
/// where that leaves far less area, which follow its own triangles. Borders are parted into loops
/// that visit no vertex twice: where sides along a slit belong to triangles of different lengths,
/// each stretch of the slit is a hole almost without area. It is the mesh itself if that is closed,
/// and nothing if the fans have more than kHoleShare of its area: then it encloses no volume.
/// @param mesh  its triangles face one side.
std::optional<TriangleMesh> close_holes(const TriangleMesh& mesh);

}  // namespace amontons
