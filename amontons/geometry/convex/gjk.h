#pragma once

#include "amontons/geometry/convex/convex_core.h"

#include <array>
#include <limits>

namespace amontons::narrow_phase {

/// Holds up to four points of the difference set and the weights of its point nearest to the
/// origin.
struct Simplex {
  std::array<DifferencePoint, 4> points;
  std::array<double, 4> weights{};
  int count = 0;

  /// Returns the nearest point v, and the two points of the cores whose difference it is.
  DifferencePoint nearest() const;
};

/// Drops the points that the nearest point does not need and sets the weights of the others. The
/// signed-volumes method is that of [Montanari, Petrinic, Barbieri 2017, sec. 4]. Four points are
/// left only if the tetrahedron contains the origin.
void reduce_to_nearest(Simplex& simplex);

/// Holds the result of gjk().
struct GjkResult {
  Simplex simplex;
  /// Holds the nearest points of the cores and the direction between them, unless they overlap.
  Separation separation;
  double lower_bound = 0.0;                                ///< best gap of support planes seen [m]
  Eigen::Vector3d best_normal = Eigen::Vector3d::UnitZ();  ///< normal of that gap
  bool overlap = false;  ///< the origin is in the difference set, or nearer than rounding
};

/// Computes the distance of two cores by the algorithm of Gilbert, Johnson and Keerthi.
/// @param tolerance  gap of distance and lower bound at which the search stops [m].
/// @param enough  lower bound above which it stops, too [m].
GjkResult gjk(const CorePair& pair, const Eigen::Vector3d& initial_direction, double tolerance,
              double enough = std::numeric_limits<double>::infinity());

}  // namespace amontons::narrow_phase
