#pragma once

#include "amontons/geometry/convex_core.h"

namespace amontons::narrow_phase {

/// Signed distance of two bounded convex shapes (cores and balls), with witness points.
Separation separation(const CorePair& pair);

/// The same for the cores alone, both of them polytopes with at least one that is not a point.
Separation polytope_separation(const CorePair& pair);

}  // namespace amontons::narrow_phase
