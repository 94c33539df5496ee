#pragma once

#include "amontons/geometry/convex/convex_core.h"
#include "amontons/geometry/shapes/closing_motion.h"

#include <optional>

namespace amontons::narrow_phase {

/// Returns the normal of a face along which two shapes pass each other, where they would meet
/// within motion.time along the normal of their distance, and later or not at all along this one.
///
/// Every direction along which two convex shapes are apart proves that they do not overlap. The
/// normal of the distance is the one along which they are farthest apart now. A box that slides
/// from one tile onto the next has it along its way, although it can move on: along the normal of
/// the tile's upper face it stays apart from the tile. Gaps close at the first velocity of the
/// motion, without the forces of the step: a support may carry the body. Gaps down to -1e-6 of the
/// shapes' sizes count as none, so that of two directions of touch the one counts that closes more
/// slowly.
///
/// @param nearest  separation() of the shapes.
/// @param motion   of B against A, in F.
/// @returns a unit normal from A into B of a face of either shape that holds its nearest point.
std::optional<Eigen::Vector3d> passing_normal(const CorePair& pair, const Separation& nearest,
                                              const ClosingMotion& motion);

/// Returns the gap of two shapes along a unit vector n [m], which is a lower bound of their signed
/// distance.
double gap_along(const CorePair& pair, const Eigen::Vector3d& n);

}  // namespace amontons::narrow_phase
