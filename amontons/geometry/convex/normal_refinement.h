#pragma once

#include "amontons/geometry/convex/convex_core.h"

#include <array>
#include <optional>

namespace amontons::narrow_phase {

/// Holds the best normals near a rough one, with their gaps s(n) of support planes [m]. There is
/// one for every kind of feature that may prescribe it. The witness points are not set.
struct NormalCandidates {
  enum Kind { kFace, kStraight, kSmooth, kStart, kNumKinds };

  std::array<Separation, kNumKinds> of_kind;

  /// Returns the candidate with the largest gap.
  const Separation& best() const;
  /// Returns the first candidate whose features meet, among those whose gap is the best to
  /// rounding. The gap alone cannot distinguish an edge from its end. Returns nothing if none
  /// meets.
  std::optional<Separation> meet(const CorePair& pair, double slack) const;
};

/// Ascends from a rough normal to the nearest stationary point of the gap of support planes
/// s(n) = min b . n - max a . n. The global maximum of s is the signed distance.
///
/// s is smooth only while both shapes touch their support planes with the same kind of feature. So
/// every combination near n is tried. A face prescribes its normal, and two edges their cross
/// product. One edge leaves an angle free, and none leaves a direction on the sphere. Newton's
/// method finds these with the curvature of rims and ellipsoids. The combination with the largest s
/// is taken. Every s(n) is a lower bound of the distance, so a wrong guess can never replace the
/// right one.
///
/// @param window  sine of the angle within which features are near n.
NormalCandidates refine_normal(const CorePair& pair, const Eigen::Vector3d& normal, double window);

/// Adds to candidates that do not meet. Where edges (or sides of cylinders) lie along the best
/// normal to rounding, it may belong to an end of one. Only one end was tried.
NormalCandidates refine_at_ends(const CorePair& pair, const NormalCandidates& found);

}  // namespace amontons::narrow_phase
