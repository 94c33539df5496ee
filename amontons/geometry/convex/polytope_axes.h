#pragma once

#include "amontons/geometry/convex/convex_core.h"

namespace amontons::narrow_phase {

/// Returns the best separating axis of two polytopes: every face normal and every pair of edges
/// whose arcs cross on the Gauss map [Gregorius 2013]. Exact and slow: the fallback for flat cases
/// in which the polytope of epa() is lost to rounding. The witness points are not set.
Separation find_polytope_axis(const CorePair& pair);

}  // namespace amontons::narrow_phase
