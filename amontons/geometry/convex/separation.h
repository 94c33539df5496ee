#pragma once

#include "amontons/geometry/convex/convex_core.h"

#include <limits>

namespace amontons::narrow_phase {

/// Returns the signed distance of two bounded convex shapes (cores and balls), with witness points.
/// @param enough  a distance above this [m] may be returned as a smaller one above it: the gap of
/// two support planes, whose normal is that of the result.
Separation separation(const CorePair& pair,
                      double enough = std::numeric_limits<double>::infinity());

/// Returns the separation of segments and boxes in closed form: two segments, or a box and either.
Separation straight_separation(const CorePair& pair);

/// Returns the separation of any two cores: GJK, or EPA where they overlap, finished by exact
/// normals. The result is checked to be a gap of support planes whose features meet, so it is the
/// distance. `enough` is that of separation().
Separation general_separation(const CorePair& pair,
                              double enough = std::numeric_limits<double>::infinity());

}  // namespace amontons::narrow_phase
