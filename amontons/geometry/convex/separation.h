#pragma once

#include "amontons/geometry/convex/convex_core.h"

namespace amontons::narrow_phase {

/// Returns the signed distance of two bounded convex shapes (cores and balls), with witness points.
Separation separation(const CorePair& pair);

/// Returns the separation of segments and boxes in closed form: two segments, or a box and either.
Separation straight_separation(const CorePair& pair);

/// Returns the separation of any two cores: GJK, or EPA where they overlap, finished by exact
/// normals. The result is checked to be a gap of support planes whose features meet, so it is the
/// distance.
Separation general_separation(const CorePair& pair);

}  // namespace amontons::narrow_phase
