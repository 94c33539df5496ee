#pragma once

#include "amontons/geometry/convex/convex_core.h"

#include <array>
#include <optional>

namespace amontons::narrow_phase {

/// The best normals near a rough one, with their gaps s(n) of support planes: one for every kind of
/// feature that may prescribe it. The witness points are not set.
struct NormalCandidates {
  enum Kind { kFace, kStraight, kSmooth, kStart, kNumKinds };

  std::array<Separation, kNumKinds> of_kind;

  const Separation& best() const;
  /// The first whose features meet, of those whose gap is the best to rounding: the gap alone does
  /// not tell an edge from its end. Nothing if none meets.
  std::optional<Separation> meet(const CorePair& pair, double slack) const;
};

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
NormalCandidates refine_normal(const CorePair& pair, const Eigen::Vector3d& normal, double window);

/// Adds to candidates that do not meet: where edges (or sides of cylinders) lie along the best
/// normal to rounding, it may still belong to one of their ends, of which only one was tried.
NormalCandidates refine_at_ends(const CorePair& pair, const NormalCandidates& found);

}  // namespace amontons::narrow_phase
