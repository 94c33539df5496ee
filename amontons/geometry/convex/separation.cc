#include "amontons/geometry/convex/separation.h"

#include "amontons/geometry/convex/point_distance.h"

namespace amontons::narrow_phase {
namespace {

/// Returns true for cores that straight_separation() treats.
bool is_straight(const ConvexCore& core) {
  return core.type == CoreType::Segment || core.type == CoreType::Box;
}

/// Returns the separation of the cores alone.
Separation core_separation(const CorePair& pair, double enough) {
  if (pair.B.type == CoreType::Point && pair.A.type != CoreType::Polyhedron) {
    const PointDistance found = point_distance(pair.A, pair.B.p);
    return {found.distance, found.normal, found.nearest, pair.B.p};
  }
  if (pair.A.type == CoreType::Point && pair.B.type != CoreType::Polyhedron) {
    const PointDistance found = point_distance(pair.B, pair.A.p);
    return {found.distance, -found.normal, pair.A.p, found.nearest};
  }
  if (is_straight(pair.A) && is_straight(pair.B)) return straight_separation(pair);
  return general_separation(pair, enough);
}

}  // namespace

Separation separation(const CorePair& pair, double enough) {
  // Balls shorten the distance by their radii and move the witness points along the normal.
  Separation result = core_separation(pair, enough + pair.A.radius + pair.B.radius);
  result.distance -= pair.A.radius + pair.B.radius;
  result.a += pair.A.radius * result.normal;
  result.b -= pair.B.radius * result.normal;
  return result;
}

}  // namespace amontons::narrow_phase
