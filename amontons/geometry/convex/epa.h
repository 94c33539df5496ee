#pragma once

#include "amontons/geometry/convex/convex_core.h"
#include "amontons/geometry/convex/gjk.h"

namespace amontons::narrow_phase {

/// Holds the result of epa().
struct EpaResult {
  Separation separation;  ///< distance is zero or negative, up to rounding
  bool proven = false;    ///< the normal is stationary and no other one is better
  /// No other normal is better, though no features meet along this one: facets that are flat within
  /// a tolerance have vertices beyond their planes.
  bool is_largest = false;
};

/// Returns the depth of two overlapping cores by the expanding polytope algorithm [van den Bergen
/// 2001], guided by exact normals.
///
/// A polytope inside the difference set bounds the depth from below: it grows at its face nearest
/// to the origin. Every normal bounds the depth from above, and stationary ones best. So the
/// normals of the growing faces are refined to stationary ones. Seen from such a normal the gap of
/// support planes is concave. Hence any normal at an angle t to it has at least cos t of its depth.
/// The polytope need not grow in a narrow cone about it, where a curved surface would cost most
/// faces. The search ends when every point of the polytope outside these cones is farther away than
/// the best depth.
///
/// @param start  the simplex at which GJK stopped.
EpaResult epa(const CorePair& pair, const Simplex& start);

}  // namespace amontons::narrow_phase
