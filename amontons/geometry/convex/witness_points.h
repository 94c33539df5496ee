#pragma once

#include "amontons/geometry/convex/convex_core.h"

#include <optional>

namespace amontons::narrow_phase {

/// Returns witness points for a known distance along a known normal: the middle of the common part
/// of the supporting features. Returns nothing if they do not meet. Then the normal is not
/// stationary, and the distance is not the signed distance.
/// @param slack  lateral distance by which features that meet may miss each other [m].
std::optional<Separation> find_witness_points(const CorePair& pair, double distance,
                                              const Eigen::Vector3d& normal, double slack);

}  // namespace amontons::narrow_phase
