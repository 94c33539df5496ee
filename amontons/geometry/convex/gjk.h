#pragma once

#include "amontons/geometry/convex/convex_core.h"

#include <array>

namespace amontons::narrow_phase {

/// Up to four points of the difference set and the weights of its point nearest to the origin.
struct Simplex {
  std::array<DifferencePoint, 4> points;
  std::array<double, 4> weights{};
  int count = 0;

  /// Nearest point v, and the two points of the cores whose difference it is.
  DifferencePoint nearest() const;
};

/// Drops the points that the nearest point does not need and sets the weights of the others, by the
/// signed-volumes method [Montanari, Petrinic, Barbieri 2017, sec. 4]. Four points are left only if
/// the tetrahedron holds the origin.
void reduce_to_nearest(Simplex& simplex);

struct GjkResult {
  Simplex simplex;
  /// Of the cores, meaningful unless they overlap: the nearest points and the direction between
  /// them.
  Separation separation;
  double lower_bound = 0.0;  ///< the best gap of support planes seen [m]
  Eigen::Vector3d best_normal = Eigen::Vector3d::UnitZ();  ///< of that gap
  bool overlap = false;  ///< the origin is in the difference set, or nearer than rounding
};

/// Distance of two cores by the algorithm of Gilbert, Johnson and Keerthi.
/// @param tolerance  stop when distance minus lower bound is at most this [m].
GjkResult gjk(const CorePair& pair, const Eigen::Vector3d& initial_direction, double tolerance);

}  // namespace amontons::narrow_phase
