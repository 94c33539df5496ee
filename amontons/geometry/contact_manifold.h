#pragma once

#include "amontons/geometry/shapes/contact_point.h"
#include "amontons/geometry/shapes/shape.h"
#include "amontons/math/pose.h"

#include <vector>

namespace amontons {

/// Appends the contact points of two shapes whose gap is at most `horizon` [m], >= 0.
///
/// Faces are clipped to full manifolds, at positive gaps as well as negative ones. A box at rest
/// has four points, a lying cylinder two, an upright cylinder a reduced ring. All points of a
/// manifold share the normal of the face. The order of the points depends on the features only.
void find_contact_manifold(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                           double horizon, std::vector<ContactPoint>& contacts);

}  // namespace amontons
