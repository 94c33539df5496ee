#pragma once

#include "amontons/geometry/convex/polygon_clipping.h"
#include "amontons/geometry/shapes/closing_motion.h"
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
/// @param motion  of B against A, in F, for the choice of the normal (passing_normal.h) and points
/// that turn into a round surface (outline_contacts.h); null: the normal is that of the distance,
/// and a round surface touches in one point.
void convex_manifold(const CorePair& pair, double horizon, const ClosingMotion* motion,
                     std::vector<ContactPoint>& contacts);

}  // namespace amontons::narrow_phase
