#pragma once

#include "amontons/geometry/shapes/shape.h"
#include "amontons/math/pose.h"

namespace amontons {

/// Remembers how far apart two shapes were at one relative pose, so that no contact of theirs need
/// be sought until they have moved by that much. A skipped search is one that finds nothing.
class PairClearance {
 public:
  /// Returns true if a search of contacts is dearer than a distance that is needed now and then:
  /// between meshes and polyhedra.
  static bool pays(const Shape& A, const Shape& B);

  /// Measures a lower bound of the distance at the poses given: that of the hulls if it is large
  /// beside a horizon [m], else the distance itself; none for meshes within the horizon.
  void measure(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB, double horizon);

  /// Returns true if the shapes are farther apart than a horizon [m] at the poses given: the
  /// distance measured, less what a point of B has moved against A at most.
  bool exceeds(double horizon, const Pose& X_WA, const Shape& B, const Pose& X_WB) const;

 private:
  double distance_ = 0.0;  // lower bound at X_AB_ [m]; 0: none
  Pose X_AB_;              // relative pose of the measurement
};

}  // namespace amontons
