#pragma once

#include "amontons/geometry/shapes/mass_properties.h"

namespace amontons {

/// Holds a mesh whose triangles face outwards as far as an outside exists.
struct OutwardMesh {
  TriangleMesh mesh;
  int num_turned = 0;      ///< triangles whose corners are reversed
  int num_dropped = 0;     ///< triangles that repeated another one
  bool one_sided = false;  ///< in some part no orientation is consistent; it stays as it was
};

/// Turns the triangles of a mesh that face inwards.
///
/// A part is what hangs together by edges of two triangles. Triangles that disagree with the larger
/// area of their part are turned. Then a part that encloses a volume is turned as a whole where it
/// faces inwards. It encloses one if it is closed, or if its holes have less than a tenth of its
/// area. A part that faces inwards inside a solid is a cavity and stays; one inside a solid that
/// was turned, or of which some triangles were, becomes a cavity. Open parts that enclose nothing
/// keep their fronts. A part without any consistent orientation, like a Moebius strip, stays as it
/// is.
///
/// A triangle with the corners of an earlier one is dropped. One that faces the other side stays,
/// unless its part is closed without it.
/// @param mesh  indices within bounds, no triangle with a vertex twice.
OutwardMesh orient_outwards(const TriangleMesh& mesh);

}  // namespace amontons
