#pragma once

#include "amontons/geometry/convex/polygon_clipping.h"
#include "amontons/geometry/shapes/contact_point.h"

#include <vector>

namespace amontons::narrow_phase {

/// The number of points to which a manifold is reduced.
inline constexpr int kMaxManifoldPoints = 8;

/// Of a whole ring of cap corners every second is dropped: those with odd ids, none of them
/// deepest.
void thin_cap(FeatureOverlap& ring);

/// Drops corners of a convex ring, each time the one that costs the least area, until at most
/// `limit` are left. The deepest stays, if need be instead of its nearest neighbor.
/// Ties go to the first in order.
void reduce_ring(FeatureOverlap& ring, int limit = kMaxManifoldPoints);

/// Of the contacts with one normal (within 1e-6 rad) keeps at most kMaxManifoldPoints: the deepest,
/// then each time the one farthest from those kept. Ties go to the first in order.
void reduce_parallel(std::vector<ContactPoint>& contacts);

/// Drops the points whose gap is above the horizon.
void keep_within(double horizon, FeatureOverlap& ring);

}  // namespace amontons::narrow_phase
