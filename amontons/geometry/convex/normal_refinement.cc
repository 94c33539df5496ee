#include "amontons/geometry/convex/normal_refinement.h"

#include "amontons/geometry/convex/nearby_features.h"
#include "amontons/geometry/convex/witness_points.h"

#include <Eigen/Geometry>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons::narrow_phase {
namespace {

using Eigen::Matrix2d;
using Eigen::Vector2d;
using Eigen::Vector3d;

// Bounds Newton's method, which converges quadratically from a near start.
constexpr int kMaxNewtonSteps = 12;
// Passes in which the best normal moves to features not yet seen.
constexpr int kMaxPasses = 4;
// Changes of the supporting pieces that one search follows, as it might alternate between two.
constexpr int kMaxPieceChanges = 2;
// Lean of an edge whose two ends are both tried [rad].
constexpr double kEndLean = 1e-3;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Newton stops when the normal moves by less than this [rad]: the next step would be its square.
constexpr double kSmallStep = 1e-9;
// Longest step [rad]: the quadratic model of the gap holds near its normal only.
constexpr double kLongestStep = 0.3;

/// Returns the rounding of gaps: those that differ by less are equal [m].
double noise_of(const CorePair& pair) { return 4.0 * kEpsilon * pair.size(); }

/// Keeps the normals with the largest gaps of support planes.
class Ascent {
 public:
  using Kind = NormalCandidates::Kind;

  Ascent(const CorePair& pair, const Vector3d& start, double window)
      : pair_(pair), start_(start), least_cosine_(1.0 - window * window) {
    for (Separation& candidate : found_.of_kind) {
      candidate.distance = -std::numeric_limits<double>::infinity();
    }
  }

  /// Computes the gap of a normal and keeps it if it is the best of its kind.
  void offer(const Vector3d& n, Kind kind) {
    const double gap = n.dot(nearest_along(pair_, n).w);
    Separation& best = found_.of_kind[kind];
    if (gap > best.distance) {
      best.distance = gap;
      best.normal = n;
    }
  }
  /// Tries the common normal of two edges, if it is near the start.
  void offer_axis(const Vector3d& axis) {
    const double length = axis.norm();
    if (length < 1e-12) return;
    const double cosine = axis.dot(start_) / length;
    if (std::abs(cosine) <= least_cosine_) return;
    offer((cosine < 0.0 ? -1.0 : 1.0) / length * axis, Kind::kStraight);
  }
  const NormalCandidates& found() const { return found_; }

 private:
  const CorePair& pair_;
  Vector3d start_;
  double least_cosine_;
  NormalCandidates found_;
};

/// Returns the stationary normal among those perpendicular to u, for two smooth pieces.
Vector3d newton_on_circle(const SmoothPiece& A, const SmoothPiece& B, const Vector3d& u,
                          const Vector3d& start) {
  Vector3d n = (start - start.dot(u) * u).normalized();
  for (int step = 0; step < kMaxNewtonSteps; ++step) {
    const Vector3d tangent = u.cross(n);
    const Vector3d w = B.point(-n) - A.point(n);
    const double slope = w.dot(tangent);
    const double radii = tangent.dot((A.curvature(n) + B.curvature(n)) * tangent);
    const double bend = radii + w.dot(n);  // minus the second derivative
    if (!(std::abs(bend) > 0.0)) break;
    // The absolute value of the second derivative makes every step an ascent.
    double turn = slope / std::abs(bend);
    turn = std::clamp(turn, -kLongestStep, kLongestStep);
    n = (n + turn * tangent).normalized();
    n = (n - n.dot(u) * u).normalized();
    if (std::abs(turn) < kSmallStep) break;
  }
  return n;
}

/// Returns the stationary normal on the sphere, for two smooth pieces. Newton's method
/// solves P w = 0 with the Hessian -(P C P) - s P [Absil, Mahony, Sepulchre 2008, sec. 6.4]. The
/// pieces stay the same on the way. The normal may lie so near to the end of a vertex's cone that
/// steps leave it.
/// @param noise  rounding of w [m].
Vector3d newton_on_sphere(const SmoothPiece& A, const SmoothPiece& B, const Vector3d& start,
                          double noise) {
  Vector3d n = start;
  for (int step = 0; step < kMaxNewtonSteps; ++step) {
    const Vector3d w = B.point(-n) - A.point(n);
    // Two tangents span the plane in which the normal turns.
    Eigen::Matrix<double, 3, 2> tangents;
    Eigen::Index smallest = 0;
    n.cwiseAbs().minCoeff(&smallest);
    tangents.col(0) = Vector3d::Unit(smallest).cross(n).normalized();
    tangents.col(1) = n.cross(tangents.col(0));
    // Gradient P w and negative Hessian P C P + s P in the coordinates of the tangents.
    const Vector2d gradient = tangents.transpose() * w;
    Matrix2d bend = tangents.transpose() * (A.curvature(n) + B.curvature(n)) * tangents;
    bend.diagonal().array() += w.dot(n);
    // Away from a maximum the Hessian is shifted until it is definite, so that every step ascends.
    const double middle = 0.5 * bend.trace();
    const double least = middle - std::sqrt(std::max(0.0, middle * middle - bend.determinant()));
    if (least <= noise) bend.diagonal().array() += 1e-3 * std::abs(middle) + noise - least;
    Vector2d turn = bend.inverse() * gradient;
    const double angle = turn.norm();
    if (!(angle < std::numeric_limits<double>::infinity())) return start;
    if (angle > kLongestStep) turn *= kLongestStep / angle;
    n = (n + tangents * turn).normalized();
    if (angle < kSmallStep) break;
  }
  return n;
}

/// Runs Newton's method with the pieces that support the cores along the start. It repeats with
/// those along its result, while they change.
void ascend_smoothly(const CorePair& pair, const Vector3d& start, Ascent& ascend) {
  Vector3d n = start;
  SmoothPiece on_A = smooth_piece(pair.A, n);
  SmoothPiece on_B = smooth_piece(pair.B, -n);
  for (int change = 0; change < kMaxPieceChanges; ++change) {
    n = newton_on_sphere(on_A, on_B, n, kEpsilon * pair.size());
    ascend.offer(n, NormalCandidates::kSmooth);
    const SmoothPiece next_A = smooth_piece(pair.A, n);
    const SmoothPiece next_B = smooth_piece(pair.B, -n);
    if (next_A.center == on_A.center && next_B.center == on_B.center) break;
    on_A = next_A;
    on_B = next_B;
  }
}

/// Returns the best of all combinations near one normal.
NormalCandidates ascend_once(const CorePair& pair, const Vector3d& normal, double window) {
  using Kind = NormalCandidates::Kind;
  const NearbyFeatures near_A = find_nearby(pair.A, normal, window);
  const NearbyFeatures near_B = find_nearby(pair.B, -normal, window);
  Ascent ascend(pair, normal, window);
  // Faces prescribe their normals.
  for (int i = 0; i < near_A.num_faces; ++i) {
    ascend.offer(near_A.face_normals[static_cast<std::size_t>(i)], Kind::kFace);
  }
  for (int j = 0; j < near_B.num_faces; ++j) {
    ascend.offer(-near_B.face_normals[static_cast<std::size_t>(j)], Kind::kFace);
  }
  // Two straight pieces prescribe their cross product, one with a smooth piece an angle about it.
  for (int i = 0; i < near_A.num_straight; ++i) {
    const StraightPiece& on_A = near_A.straight[static_cast<std::size_t>(i)];
    for (int j = 0; j < near_B.num_straight; ++j) {
      const StraightPiece& on_B = near_B.straight[static_cast<std::size_t>(j)];
      ascend.offer_axis(on_A.direction.cross(on_B.direction));
    }
    const SmoothPiece on_B = smooth_piece(pair.B, -normal);
    ascend.offer(newton_on_circle(on_A.across, on_B, on_A.direction, normal), Kind::kStraight);
  }
  for (int j = 0; j < near_B.num_straight; ++j) {
    const StraightPiece& on_B = near_B.straight[static_cast<std::size_t>(j)];
    const SmoothPiece on_A = smooth_piece(pair.A, normal);
    ascend.offer(newton_on_circle(on_A, on_B.across, on_B.direction, normal), Kind::kStraight);
  }
  // Two smooth pieces leave a direction on the sphere; between polytopes the start has it already.
  if (!is_polytope(pair.A) || !is_polytope(pair.B)) ascend_smoothly(pair, normal, ascend);
  ascend.offer(normal, Kind::kStart);
  return ascend.found();
}

}  // namespace

const Separation& NormalCandidates::best() const {
  return *std::max_element(
      of_kind.begin(), of_kind.end(),
      [](const Separation& a, const Separation& b) { return a.distance < b.distance; });
}

std::optional<Separation> NormalCandidates::meet(const CorePair& pair, double slack) const {
  const double least = best().distance - noise_of(pair);
  for (const Separation& candidate : of_kind) {
    if (!(candidate.distance >= least)) continue;
    const auto met = find_witness_points(pair, candidate.distance, candidate.normal, slack);
    if (met) return met;
  }
  return std::nullopt;
}

NormalCandidates refine_normal(const CorePair& pair, const Vector3d& normal, double window) {
  NormalCandidates found = ascend_once(pair, normal, window);
  Vector3d searched_normal = normal;
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    // Nearer features than half the window have been seen.
    if ((found.best().normal - searched_normal).norm() < 0.5 * window) break;
    searched_normal = found.best().normal;
    const NormalCandidates again = ascend_once(pair, searched_normal, window);
    if (again.best().distance <= found.best().distance) break;
    found = again;
  }
  return found;
}

NormalCandidates refine_at_ends(const CorePair& pair, const NormalCandidates& found) {
  const Vector3d n = found.best().normal;
  Ascent ascend(pair, n, kEndLean);
  // Each end of an edge is the vertex that supports a normal slightly turned towards it.
  const auto try_ends = [&](const NearbyFeatures& near, bool of_A) {
    for (int i = 0; i < near.num_straight; ++i) {
      const Vector3d& along = near.straight[static_cast<std::size_t>(i)].direction;
      for (const double side : {-kEndLean, kEndLean}) {
        const SmoothPiece on_A = smooth_piece(pair.A, of_A ? Vector3d(n + side * along) : n);
        const SmoothPiece on_B = smooth_piece(pair.B, of_A ? Vector3d(-n) : side * along - n);
        ascend.offer(newton_on_sphere(on_A, on_B, n, kEpsilon * pair.size()),
                     NormalCandidates::kSmooth);
      }
    }
  };
  try_ends(find_nearby(pair.A, n, kEndLean), true);
  try_ends(find_nearby(pair.B, -n, kEndLean), false);
  const Separation& at_ends = ascend.found().of_kind[NormalCandidates::kSmooth];
  // If it gained more than rounding, it may be near features that have not been seen.
  const bool is_new_normal = at_ends.distance > found.best().distance + noise_of(pair);
  NormalCandidates result = is_new_normal ? refine_normal(pair, at_ends.normal, kEndLean) : found;
  Separation& smooth = result.of_kind[NormalCandidates::kSmooth];
  if (at_ends.distance > smooth.distance - noise_of(pair)) smooth = at_ends;
  return result;
}

}  // namespace amontons::narrow_phase
