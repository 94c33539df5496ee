#pragma once

#include "amontons/geometry/shape.h"
#include "amontons/math/pose.h"

#include <Eigen/Core>

#include <cstdint>
#include <vector>

namespace amontons {

/// One point of a contact manifold.
struct ContactPoint {
  Eigen::Vector3d position_W;  ///< midway between the two witness points [m]
  Eigen::Vector3d normal_W;    ///< unit, from A into B
  double gap = 0.0;            ///< signed distance along the normal [m]; negative inside
  std::uint32_t feature = 0;   ///< names the pair of features; stable while they stay in contact
};

/// Appends the contact points of two shapes whose gap is at most `horizon` [m], >= 0.
///
/// Faces are clipped to full manifolds (four points for a box at rest, two for a lying cylinder, a
/// reduced ring for an upright one), at positive gaps as well as negative ones. All points of a
/// manifold share the face's normal. The order of the points depends on the features only.
void find_contact_manifold(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                           double horizon, std::vector<ContactPoint>& contacts);

}  // namespace amontons
