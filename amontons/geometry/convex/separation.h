#pragma once

#include "amontons/geometry/convex/convex_core.h"

namespace amontons::narrow_phase {

/// Signed distance of two bounded convex shapes (cores and balls), with witness points.
Separation separation(const CorePair& pair);

/// Cores of segments and boxes, at least one of them a box or both segments: closed forms.
Separation straight_separation(const CorePair& pair);

/// Any two cores: GJK, or EPA where they overlap, finished by exact normals and checked: the result
/// is a gap of support planes whose features meet, so it is the distance.
Separation general_separation(const CorePair& pair);

}  // namespace amontons::narrow_phase
