#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/math/pose.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <span>
#include <vector>

namespace amontons {

/// Finds contacts at edges that another shape of the same body covers.
///
/// A ball that rolls over tiles is nearest to the next tile at its edge, with a normal that is
/// tilted against the way. The condition u_n + s >= 0 would brake the ball at an edge that is none
/// of the floor. A point of a body is where something is nearest to it only if no shape of the body
/// contains it and reaches farther along the normal: that shape is then nearer, since it is convex.
class FlushShapes {
 public:
  /// Lists the bounded convex shapes of each body that touch each other.
  explicit FlushShapes(const System& system);

  /// Returns true if such a shape covers the contact's point on one of its two shapes, and touches
  /// the other body, too.
  /// @param layer  by which the contact's gap is less than the distance [m].
  /// @param X_WG   poses of all shapes.
  bool cover(const Contact& contact, double layer, std::span<const Pose> X_WG) const;

 private:
  /// Returns true if a neighbor of a shape covers a point on it.
  /// @param direction_W  unit, outward.
  bool cover(int shape, int other, const Eigen::Vector3d& p_W, const Eigen::Vector3d& direction_W,
             std::span<const Pose> X_WG) const;

  const System* system_;
  std::vector<std::vector<int>> neighbors_;  // [shapes]
};

}  // namespace amontons
