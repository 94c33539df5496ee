#include "amontons/geometry/convex/box_axes.h"
#include "amontons/geometry/convex/separation.h"
#include "amontons/geometry/convex/witness_points.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;

// Closer to parallel than this, two directions have no useful common normal: sine squared [-].
constexpr double kParallelSineSquared = 1e-18;
// Features that miss each other by less meet, relative to the smaller core [-].
constexpr double kMeetingSlack = 1e-9;

/// Returns the nearest points of two segments [Ericson 2005, sec. 5.1.9]. Crossing segments are
/// parted along their common normal.
Separation segment_segment(const CorePair& pair) {
  const Vector3d u = pair.A.R.col(2);
  const Vector3d v = pair.B.R.col(2);
  const double reach_A = pair.A.half.z();
  const double reach_B = pair.B.half.z();
  const Vector3d w = pair.B.p - pair.A.p;
  const double cosine = u.dot(v);
  const double sine_squared = u.cross(v).squaredNorm();
  // Nearest points of the lines, clamped to A, then to B, then to A for the final t.
  double s = 0.0;
  if (sine_squared > kParallelSineSquared) {
    s = std::clamp((w.dot(u) - cosine * w.dot(v)) / sine_squared, -reach_A, reach_A);
  } else {  // parallel: the middle of the common part
    const double middle = w.dot(u);
    const double low = std::clamp(middle - reach_B, -reach_A, reach_A);
    const double high = std::clamp(middle + reach_B, -reach_A, reach_A);
    s = 0.5 * (low + high);
  }
  const double t = std::clamp(s * cosine - w.dot(v), -reach_B, reach_B);
  s = std::clamp(w.dot(u) + t * cosine, -reach_A, reach_A);
  Separation result;
  result.a = pair.A.p + s * u;
  result.b = pair.B.p + t * v;
  Vector3d offset = result.b - result.a;
  // Touched between its ends, a segment is normal to the direction: rounding must not tilt it.
  const bool inside_A = std::abs(s) < reach_A;
  const bool inside_B = std::abs(t) < reach_B;
  if (inside_A && inside_B && sine_squared > kParallelSineSquared) {
    const Vector3d across = u.cross(v);
    offset = across * (across.dot(offset) / sine_squared);
  } else {
    if (inside_A) offset -= offset.dot(u) * u;
    if (inside_B) offset -= offset.dot(v) * v;
  }
  const double length = offset.norm();
  // Segments that meet are parted across both, or, if they are parallel, in any direction across.
  if (length > 4.0 * std::numeric_limits<double>::epsilon() * pair.size()) {
    result.normal = offset / length;
  } else {
    const Vector3d across =
        sine_squared > kParallelSineSquared ? u.cross(v) : Vector3d(pair.A.R.col(0));
    result.normal = across.normalized() * (across.dot(w) < 0.0 ? -1.0 : 1.0);
  }
  result.distance = result.normal.dot(result.b - result.a);
  return result;
}

/// Returns the separation of two boxes, or of a box and a segment.
Separation box_box(const CorePair& pair) {
  const BoxAxes axes = find_box_axis(pair);
  const double slack = kMeetingSlack * pair.small_size();
  // Two edges: the depth, or the distance if the nearest points of the lines lie on both edges.
  if (axes.kind == BoxAxes::Kind::Edges) {
    const Separation edges = edge_contact(pair, axes);
    const Vector3d across = edges.b - edges.a - edges.distance * edges.normal;
    if (axes.distance <= 0.0 || across.norm() <= slack) return edges;
  } else if (const auto found = find_witness_points(pair, axes.distance, axes.normal, slack)) {
    return *found;
  }
  if (axes.distance > 0.0) {  // a corner is nearest to a corner or an edge
    const Separation apart = general_separation(pair);
    if (apart.distance >= axes.distance) return apart;
  }
  // Rounding alone keeps the features from meeting.
  const DifferencePoint nearest = nearest_along(pair, axes.normal);
  return {axes.distance, axes.normal, nearest.b - axes.distance * axes.normal, nearest.b};
}

}  // namespace

Separation straight_separation(const CorePair& pair) {
  if (pair.A.type == CoreType::Segment && pair.B.type == CoreType::Segment) {
    return segment_segment(pair);
  }
  return box_box(pair);
}

}  // namespace amontons::narrow_phase
