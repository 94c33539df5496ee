#pragma once

#include "amontons/geometry/shapes/closing_motion.h"
#include "amontons/geometry/shapes/contact_point.h"
#include "amontons/geometry/shapes/shape.h"
#include "amontons/math/pose.h"

#include <optional>
#include <vector>

namespace amontons {

/// Says up to which gap contacts are sought.
struct ContactHorizon {
  double gap = 0.0;  ///< of any contact [m], >= 0
  /// Motion of B against A, in the frame of the shapes' poses. If given, it limits the gaps of two
  /// meshes to those that it may close, chooses normals (passing_normal.h, passing_face.h), and
  /// adds points beside the nearest one (outline_contacts.h).
  std::optional<ClosingMotion> motion = std::nullopt;
};

/// Appends the contact points of two shapes up to a horizon.
///
/// Faces are clipped to full manifolds, at positive gaps as well as negative ones. A box at rest
/// has four points, a lying cylinder two, an upright cylinder a reduced ring. All points of a
/// manifold share the normal of the face. The order of the points depends on the features only.
void find_contact_manifold(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                           const ContactHorizon& horizon, std::vector<ContactPoint>& contacts);

}  // namespace amontons
