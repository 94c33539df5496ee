#pragma once

#include "amontons/geometry/convex_core.h"

namespace amontons::narrow_phase {

/// Climbs from a rough normal to the nearest stationary point of the gap of support planes
/// s(n) = min b . n - max a . n, whose global maximum is the signed distance.
///
/// s is smooth only while both shapes touch their support planes with the same kind of feature.
/// So every combination near n is tried: a face prescribes its normal, two edges their cross
/// product, one edge leaves an angle and none a direction on the sphere, found by Newton's method
/// with the curvature of rims and ellipsoids. The combination with the largest s wins; since every
/// s(n) is a lower bound of the distance, a wrong guess can never win over the right one.
///
/// @param window  sine of the angle within which features are near n.
/// @returns the best unit normal and its s; the witness points are not set.
Separation refine_normal(const CorePair& pair, const Eigen::Vector3d& normal, double window);

}  // namespace amontons::narrow_phase
