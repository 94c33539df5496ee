#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/math/pose.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <functional>
#include <span>
#include <vector>

namespace amontons {

/// Finds contacts at edges that another shape of the same body covers.
///
/// A ball that rolls over tiles is nearest to the next tile at its edge, with a normal that is
/// tilted against the way. The condition u_n + s >= 0 would brake the ball at an edge that is none
/// of the floor. A point of a body is where something is nearest to it only if no shape of the body
/// contains it and reaches farther along the normal: that shape is then nearer, since it is convex.
/// Where shapes overlap, two may cover each other's points; the nearest one keeps its contacts.
class FlushShapes {
 public:
  /// Lists the bounded convex shapes of each body that touch each other.
  explicit FlushShapes(const System& system);

  /// Returns true if any shape has such a neighbor.
  bool any() const;

  /// Returns true if such a shape, which is nearer to the other body, covers the contact's point on
  /// one of its two shapes.
  /// @param layer      by which the contact's gap is less than the distance [m].
  /// @param X_WG       poses of all shapes.
  /// @param least_gap  returns that of all contacts of two shapes [m]; infinity: they have none.
  bool cover(const Contact& contact, double layer, std::span<const Pose> X_WG,
             const std::function<double(int, int)>& least_gap) const;

 private:
  /// Returns true if a neighbor of a shape contains a point on it and reaches farther along a unit
  /// direction, and is_nearer(neighbor).
  template <typename IsNearer>
  bool cover(int shape, const Eigen::Vector3d& p_W, const Eigen::Vector3d& direction_W,
             std::span<const Pose> X_WG, const IsNearer& is_nearer) const;

  const System* system_;
  std::vector<std::vector<int>> neighbors_;  // [shapes]
};

}  // namespace amontons
