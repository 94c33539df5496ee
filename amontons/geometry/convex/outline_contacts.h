#pragma once

#include "amontons/geometry/convex/convex_core.h"
#include "amontons/geometry/shapes/closing_motion.h"
#include "amontons/geometry/shapes/contact_point.h"

#include <vector>

namespace amontons::narrow_phase {

/// Appends contacts of a round surface with points of a small face or edge that leans against it;
/// positions are in F. Nothing for other pairs.
///
/// A box that rocks on a large ball turns about the point where it was nearest at the start of the
/// step, and would sink in beside it. Corners, middles of sides and the middle of the face are
/// therefore contacts of their own, each with its own distance and normal. Round surfaces are
/// balls, ellipsoids, and the sides of cylinders and capsules; a face is small if it is at most a
/// quarter as wide as their least radius of curvature.
///
/// A point is a contact if the face may close its gap as it turns about the nearest point. It has
/// none where the normal at the start of the step would hold back what rolls over it: where the
/// round shape's center comes half of the way to the point within the step, where the face may roll
/// eight times that way, or where the face cannot turn.
/// @param nearest  separation() of the shapes.
/// @param motion   of B against A, in F.
void append_outline(const CorePair& pair, const Separation& nearest, double horizon,
                    const ClosingMotion& motion, std::vector<ContactPoint>& contacts);

}  // namespace amontons::narrow_phase
