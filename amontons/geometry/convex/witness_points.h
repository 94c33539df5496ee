#pragma once

#include "amontons/geometry/convex/convex_core.h"

#include <optional>

namespace amontons::narrow_phase {

/// Witness points for a known distance along a known normal: the middle of where the supporting
/// features meet. Nothing if they do not: then the normal is not stationary, and the distance is
/// not the signed distance.
std::optional<Separation> meet_along(const CorePair& pair, double distance,
                                     const Eigen::Vector3d& normal, double slack);

}  // namespace amontons::narrow_phase
