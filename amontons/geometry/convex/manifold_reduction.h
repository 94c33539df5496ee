#pragma once

#include "amontons/geometry/convex/polygon_clipping.h"
#include "amontons/geometry/shapes/contact_point.h"

#include <vector>

namespace amontons::narrow_phase {

/// Limits the number of points of a manifold, and so the size of the contact problem.
inline constexpr int kMaxManifoldPoints = 8;

/// Drops every second corner of a whole ring of cap corners: those with odd ids, none of which is
/// the deepest.
void thin_cap(FeatureOverlap& ring);

/// Drops corners of a convex ring, each time the one that costs the least area, until at most
/// `limit` are left. The deepest stays, if need be instead of its nearest neighbor. Ties go to the
/// first in order.
void reduce_ring(FeatureOverlap& ring, int limit = kMaxManifoldPoints);

/// Drops contacts that others with their normal (within 1e-6 rad) make needless. In the order of
/// their gaps, and of one gap each time the one farthest from those kept, kMaxManifoldPoints stay,
/// and beyond the least gap all that are far from those kept. Which points stay so does not depend
/// on points of larger gaps: a horizon changes nothing below it.
/// @param tie  difference of gaps that counts as none [m].
void reduce_parallel(double tie, std::vector<ContactPoint>& contacts);

/// Drops the points whose gap is above the horizon.
void keep_within(double horizon, FeatureOverlap& ring);

}  // namespace amontons::narrow_phase
