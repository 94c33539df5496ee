#pragma once

#include "amontons/geometry/convex/convex_core.h"
#include "amontons/geometry/shapes/closing_motion.h"
#include "amontons/geometry/shapes/contact_point.h"
#include "amontons/geometry/surface/surface_patch.h"

#include <optional>

namespace amontons::narrow_phase {

/// Returns the contact of a ball or an ellipsoid with the plane of a face, along which it passes
/// the ridge or corner of the surface that is nearest to it; nothing for other cores.
///
/// A ball that rolls from one mesh onto another one that is level with it is nearest to the next
/// mesh at its border, with a normal that is tilted against the way. Along the normal of a face
/// there it stays apart from the surface, as between convex shapes (passing_normal.h).
/// @param nearest  contact with the ridge or corner, in the surface's frame.
/// @param motion   of the core against the surface, in this frame.
/// @param slack    distance [m] within which a face has the nearest point, and gap that is none.
std::optional<ContactPoint> passing_contact(const SurfacePatch& patch, const ConvexCore& core,
                                            const ContactPoint& nearest,
                                            const ClosingMotion& motion, double slack);

}  // namespace amontons::narrow_phase
