#include "amontons/geometry/convex/epa.h"
#include "amontons/geometry/convex/gjk.h"
#include "amontons/geometry/convex/normal_refinement.h"
#include "amontons/geometry/convex/polytope_axes.h"
#include "amontons/geometry/convex/separation.h"
#include "amontons/geometry/convex/witness_points.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;

/// Describes one attempt: GJK stops early, and the normal is refined from there. The next stage
/// follows if an attempt finds no proven result. Polytopes need no early stop.
struct Stage {
  double tolerance;  ///< gap between the bounds of GJK, relative to the smaller core [-]
  double window;     ///< error of the normal at that gap [rad]
};
// From early stops with wide windows to full convergence.
constexpr std::array<Stage, 3> kStages = {{{1e-4, 0.05}, {1e-9, 1e-3}, {0.0, 1e-5}}};
// Window about the normals that the fallback tries [rad].
constexpr double kWideWindow = 0.3;
// Features that miss each other by less meet: relative to the sizes for a converged normal [-].
constexpr double kTightMeetingSlack = 1e-14;
// The same in the last stage, relative to the smaller core [-].
constexpr double kLooseMeetingSlack = 1e-9;
// Bounds this near prove a result, relative to the sizes [-].
constexpr double kProofTolerance = 1e-12;

/// Returns the window for polytopes [rad]: only rounding turns the normal, the more the smaller the
/// distance.
double flat_window(const CorePair& pair, double distance) {
  return std::clamp(1e-14 * pair.size() / distance, 1e-7, kStages.front().window);
}

/// Returns witness points by the gap alone, for a normal whose features do not quite meet.
Separation with_nearest_points(const CorePair& pair, const Separation& found) {
  const DifferencePoint nearest = nearest_along(pair, found.normal);
  return {found.distance, found.normal, nearest.b - found.distance * found.normal, nearest.b};
}

/// Returns the best stationary normal over starts along all axes: the fallback where rounding stops
/// EPA.
Separation ascend_from_axes(const CorePair& pair, const Separation& first) {
  Separation best = first;
  const auto offer = [&](const Vector3d& start) {
    const Separation found = refine_normal(pair, start, kWideWindow).best();
    if (found.distance > best.distance) best = found;
  };
  for (const ConvexCore* core : {&pair.A, &pair.B}) {
    for (int axis = 0; axis < 3; ++axis) {
      offer(core->R.col(axis));
      offer(-core->R.col(axis));
    }
  }
  offer(first.normal);
  return best;
}

/// Returns the depth of overlapping cores.
/// @param start  simplex at which GJK stopped.
Separation depth(const CorePair& pair, const Simplex& start) {
  EpaResult found = epa(pair, start);
  if (found.proven) return found.separation;
  // Where better normals may exist, the best of EPA and of an exhaustive search counts. The bounds
  // of curved surfaces agree within 1e-13 of their sizes, and the ascent finds the digits that are
  // left.
  const bool flat = is_polytope(pair.A) && is_polytope(pair.B);
  if (!flat || !found.is_largest) {
    const Separation other =
        flat ? find_polytope_axis(pair) : ascend_from_axes(pair, found.separation);
    if (other.distance > found.separation.distance) found.separation = other;
  }
  if (const auto met = find_witness_points(pair, found.separation.distance, found.separation.normal,
                                           kLooseMeetingSlack * pair.small_size())) {
    return *met;
  }
  return with_nearest_points(pair, found.separation);
}

/// Returns the gap along the face of a box over which the other core's origin is highest, if it is
/// above `enough`. It parts most pairs that are far apart for the size of one support point.
std::optional<Separation> gap_over_face(const CorePair& pair, double enough) {
  for (const bool is_A : {true, false}) {
    const ConvexCore& box = is_A ? pair.A : pair.B;
    if (box.type != CoreType::Box) continue;
    const Vector3d offset = box.R.transpose() * (is_A ? pair.B.p - box.p : box.p - pair.A.p);
    Eigen::Index axis = 0;
    (offset.cwiseAbs() - box.half).maxCoeff(&axis);
    const Vector3d normal =
        offset(axis) > 0.0 ? Vector3d(box.R.col(axis)) : Vector3d(-box.R.col(axis));
    const DifferencePoint nearest = nearest_along(pair, normal);
    const double gap = normal.dot(nearest.w);
    if (gap > enough) return Separation{gap, normal, nearest.b - gap * normal, nearest.b};
  }
  return std::nullopt;
}

/// Returns the gap of the best support planes, with the point of B that GJK found last.
Separation between_support_planes(const GjkResult& apart) {
  const Vector3d& b = apart.separation.b;
  const Vector3d a = b - apart.lower_bound * apart.best_normal;
  return {apart.lower_bound, apart.best_normal, a, b};
}

}  // namespace

Separation general_separation(const CorePair& pair, double enough) {
  const bool flat = is_polytope(pair.A) && is_polytope(pair.B);
  // The first direction is that of the origins; coincident ones have none.
  Vector3d direction = pair.B.p - pair.A.p;
  if (direction.squaredNorm() == 0.0) direction = Vector3d::UnitZ();
  const double loose_miss = kLooseMeetingSlack * pair.small_size();
  // Beyond rounding, so that distances up to `enough` are exact.
  const double surely_enough = enough + kProofTolerance * pair.size();
  if (std::isfinite(enough)) {
    if (const auto far = gap_over_face(pair, surely_enough)) return *far;
  }
  GjkResult apart;
  // Each stage runs GJK to its tolerance and refines the normal; a normal whose features meet is
  // stationary, hence proven.
  for (const auto& [tolerance, curved_window] : kStages) {
    if (flat && tolerance > 0.0) continue;
    apart = gjk(pair, direction, tolerance * pair.small_size(), surely_enough);
    if (apart.overlap) return depth(pair, apart.simplex);
    if (apart.lower_bound > surely_enough) return between_support_planes(apart);
    const double window = flat ? flat_window(pair, apart.separation.distance) : curved_window;
    const NormalCandidates refined = refine_normal(pair, apart.separation.normal, window);
    // GJK's own points are at least as far apart as the cores, and exactly so far between
    // polytopes.
    const double least = flat ? apart.separation.distance - kProofTolerance * pair.size() : 0.0;
    if (refined.best().distance >= least) {
      const double miss = tolerance > 0.0 ? kTightMeetingSlack * pair.size() : loose_miss;
      if (const auto met = refined.meet(pair, miss)) return *met;
      // Curved shapes may touch at an end of an edge that has not been tried.
      if (!flat) {
        if (const auto met = refine_at_ends(pair, refined).meet(pair, miss)) return *met;
      }
    }
    direction = apart.separation.normal;
  }
  // No stage proves a result: bounds apart mean overlap, bounds together the result itself.
  if (apart.separation.distance - apart.lower_bound > kProofTolerance * pair.size()) {
    return depth(pair, apart.simplex);  // rounding hides whether they are apart
  }
  // The best support planes and the nearest points agree; the points' own direction is less exact.
  return between_support_planes(apart);
}

}  // namespace amontons::narrow_phase
