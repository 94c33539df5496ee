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

/// Keeps at most kMaxManifoldPoints of the contacts with one normal (within 1e-6 rad). The deepest
/// stays, then each time the one farthest from those kept. Ties go to the first in order.
void reduce_parallel(std::vector<ContactPoint>& contacts);

/// Drops the points whose gap is above the horizon.
void keep_within(double horizon, FeatureOverlap& ring);

}  // namespace amontons::narrow_phase
