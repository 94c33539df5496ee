#pragma once

#include "amontons/geometry/convex/polygon_clipping.h"
#include "amontons/geometry/shapes/contact_point.h"

#include <cstdint>
#include <vector>

namespace amontons::narrow_phase {

/// Appends the middle of two witness points as a contact; positions are in F.
void append(const Separation& nearest, std::uint32_t feature, std::vector<ContactPoint>& contacts);

/// Appends the points of a ring as contacts with one normal; positions are in F.
void append(const FeatureOverlap& ring, const Eigen::Vector3d& normal,
            std::vector<ContactPoint>& contacts);

/// Appends the manifold of two bounded convex shapes; positions are in F.
void convex_manifold(const CorePair& pair, double horizon, std::vector<ContactPoint>& contacts);

}  // namespace amontons::narrow_phase
