#pragma once

#include "amontons/geometry/convex/polygon_clipping.h"
#include "amontons/geometry/shapes/contact_point.h"

#include <vector>

namespace amontons::narrow_phase {

/// Appends the points of a ring as contacts with one normal; positions are in F.
void append(const FeatureOverlap& ring, const Eigen::Vector3d& normal,
            std::vector<ContactPoint>& contacts);

/// Appends the manifold of two bounded convex shapes; positions are in F.
void convex_manifold(const CorePair& pair, double horizon, std::vector<ContactPoint>& contacts);

}  // namespace amontons::narrow_phase
