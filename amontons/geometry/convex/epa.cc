#include "amontons/geometry/convex/epa.h"

#include "amontons/geometry/convex/growing_polytope.h"
#include "amontons/geometry/convex/normal_refinement.h"
#include "amontons/math/elementary.h"

#include <Eigen/Geometry>

#include <cmath>
#include <limits>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Bounds the growth of the polytope, whose memory is fixed.
constexpr int kMaxIterations = 250;
// Bounds that differ by less, relative to the sizes, agree [-].
constexpr double kTolerance = 1e-13;
// Normals are refined once the bounds are this near, relative to the smaller core [-].
constexpr double kRefineBelow = 2e-2;
// Features farther than this from a normal never count as near it [rad].
constexpr double kWidestWindow = 0.15;
// Faces between polytopes have their normals already, up to rounding [rad].
constexpr double kFlatWindow = 1e-6;
// Features that miss each other by less meet, relative to the smaller core [-].
constexpr double kMeetingSlack = 1e-9;
// Bounds the cost of refinements, each of which runs Newton's method several times.
constexpr int kMaxRefinements = 12;
// About a stationary normal lies a cone in which no better one is sought. Within it, and behind
// faces that count as covered by it, the depth may be less by this at most, relative to the sizes
// [-].
constexpr double kSettledLoss = 1e-10;
// The cone is never wider than this angle [rad].
constexpr double kWidestCone = 0.05;
// Cosine of the angle within which a search finds the same stationary normal (0.3 rad).
constexpr double kNear = 0.955;

/// Extends a simplex by support points until it is a tetrahedron of some volume.
class TetrahedronBuilder {
 public:
  /// Begins with `count` points of the simplex.
  TetrahedronBuilder(const CorePair& pair, const Simplex& start, int count) : pair_(pair) {
    for (int k = 0; k < count; ++k) {
      points_[static_cast<std::size_t>(count_++)] = start.points[static_cast<std::size_t>(k)].w;
    }
  }

  /// Returns the tetrahedron.
  std::array<Vector3d, 4> build() {
    if (count_ == 1) extend_point();
    if (count_ == 2) extend_segment();
    if (count_ == 3) extend_triangle();
    return points_;
  }

 private:
  /// Returns the point of the difference set farthest along a direction.
  Vector3d farthest(const Vector3d& outward) const { return nearest_along(pair_, -outward).w; }

  void push(const Vector3d& point) { points_[static_cast<std::size_t>(count_++)] = point; }

  /// Adds the farthest of six points, along both directions of each axis.
  void extend_point() {
    Vector3d best = points_[0];
    for (int axis = 0; axis < 3; ++axis) {
      for (const double sign : {1.0, -1.0}) {
        const Vector3d candidate = farthest(sign * Vector3d::Unit(axis));
        if ((candidate - points_[0]).squaredNorm() > (best - points_[0]).squaredNorm()) {
          best = candidate;
        }
      }
    }
    push(best);
  }

  /// Adds the point farthest from the segment's line, out of four directions across it.
  void extend_segment() {
    const Vector3d along = (points_[1] - points_[0]).normalized();
    Eigen::Index smallest = 0;
    along.cwiseAbs().minCoeff(&smallest);
    const Vector3d across = along.cross(Vector3d::Unit(smallest)).normalized();
    const Vector3d third = along.cross(across);
    Vector3d best = points_[0];
    double best_area = -1.0;
    for (const Vector3d& direction : {across, third, Vector3d(-across), Vector3d(-third)}) {
      const Vector3d candidate = farthest(direction);
      const double area = along.cross(candidate - points_[0]).squaredNorm();
      if (area > best_area) {
        best_area = area;
        best = candidate;
      }
    }
    push(best);
  }

  /// Adds the point farthest from the triangle's plane, above or below.
  void extend_triangle() {
    const Vector3d normal = (points_[1] - points_[0]).cross(points_[2] - points_[0]).normalized();
    const Vector3d up = farthest(normal);
    const Vector3d down = farthest(-normal);
    const double above = normal.dot(up - points_[0]);
    const double below = normal.dot(points_[0] - down);
    push(above >= below ? up : down);
  }

  const CorePair& pair_;
  std::array<Vector3d, 4> points_;
  int count_ = 0;
};

/// Searches the depth of one pair.
class Search {
 public:
  explicit Search(const CorePair& pair)
      : pair_(pair),
        is_flat_(is_polytope(pair.A) && is_polytope(pair.B)),
        rounding_(4.0 * kEpsilon * pair.size()),
        tolerance_(kTolerance * pair.size()),
        refine_below_(kRefineBelow * pair.small_size()) {
    result_.separation.distance = -std::numeric_limits<double>::infinity();
  }

  EpaResult run(const Simplex& start) {
    // A simplex that is flat to rounding is replaced by extreme points of the difference set. They
    // need not enclose the origin: the face that it lies beyond grows first.
    if (!polytope_.begin(TetrahedronBuilder(pair_, start, start.count).build()) &&
        !polytope_.begin(TetrahedronBuilder(pair_, start, 1).build())) {
      return result_;
    }
    // The bounds of the depth are the best gap from above and the nearest open face from below.
    for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
      const int nearest = polytope_.nearest_face();
      const double depth = -result_.separation.distance;
      if (nearest < 0 || depth - polytope_.face(nearest).distance <= tolerance_) {
        result_.proven = is_stationary_;
        result_.is_largest = std::isfinite(depth);
        return result_;
      }
      const double lower = polytope_.face(nearest).distance;
      if (!grow_at(nearest)) {
        // The face that cannot grow is one of the difference set, and nearest: its distance is the
        // depth. Just outside of it, where rounding hides a gap, that is so if the foot is in it.
        const double excess = -result_.separation.distance - lower;
        result_.is_largest =
            excess <= tolerance_ && (lower >= 0.0 || polytope_.holds_foot(nearest));
        return result_;
      }
    }
    return result_;
  }

 private:
  /// Grows the polytope at a face. Returns false if neither it nor the knowledge of it could grow.
  bool grow_at(int index) {
    const double lower = polytope_.face(index).distance;
    // The contact normal is opposite to the outward normal of the difference set b - a.
    const Vector3d normal = -polytope_.face(index).normal;
    const Vector3d point = nearest_along(pair_, normal).w;
    if (polytope_.is_settled(-normal)) {  // known, but other normals may hide behind the face
      if (!polytope_.add(point, rounding_, index)) polytope_.settle_face(index);
      return true;
    }
    // Every normal bounds the depth from above by its gap of support planes.
    const double gap = normal.dot(point);
    const double best_before = result_.separation.distance;
    if (gap > result_.separation.distance) {
      result_.separation.distance = gap;
      result_.separation.normal = normal;
      is_stationary_ = false;
    }
    bool grown = polytope_.add(point, rounding_, index);
    // Near a known stationary normal only a better gap shows that there is another one.
    const bool is_new_normal =
        gap > best_before + tolerance_ || !polytope_.is_settled(-normal, kNear);
    if (-gap - lower <= refine_below_ && is_new_normal && num_refinements_ < kMaxRefinements) {
      grown = refine(normal, -gap - lower) || grown;
    }
    return grown;
  }

  /// Settles the stationary normal near a given one, if it is a new one.
  /// @param uncertainty  uncertainty of the depth [m]. The normal of a curved surface is uncertain
  ///     by its root.
  bool refine(const Vector3d& start, double uncertainty) {
    ++num_refinements_;
    const double angle = 2.0 * std::sqrt(std::max(uncertainty, 0.0) / pair_.small_size());
    const double window = is_flat_ ? kFlatWindow : std::clamp(angle, 1e-4, kWidestWindow);
    const NormalCandidates candidates = refine_normal(pair_, start, window);
    if (polytope_.is_settled(-candidates.best().normal)) return false;
    const auto met = candidates.meet(pair_, kMeetingSlack * pair_.small_size());
    const Separation refined = met ? *met : candidates.best();
    // A stationary normal replaces the best even within rounding, as only it proves the depth.
    const bool is_better = refined.distance > result_.separation.distance - rounding_;
    if (is_better) {
      result_.separation = refined;
      is_stationary_ = met.has_value();
    }
    const bool grown = polytope_.add(nearest_along(pair_, refined.normal).w, rounding_);
    // Without a proof of the normal no cone can be settled about it.
    if (!met) return grown;
    const double depth = std::max(-refined.distance, tolerance_);
    // cos t of the depth is lost at an angle t: the cone's angle follows from the loss allowed.
    const double loss = std::min(kSettledLoss * pair_.size() / depth, 1.0);
    const double cosine = std::max(1.0 - loss, elementary::cos(kWidestCone));
    return polytope_.exclude_cone(-refined.normal, cosine, cosine * depth) || grown;
  }

  const CorePair& pair_;
  bool is_flat_;
  double rounding_, tolerance_, refine_below_;
  GrowingPolytope polytope_;
  EpaResult result_;
  bool is_stationary_ = false;
  int num_refinements_ = 0;
};

}  // namespace

EpaResult epa(const CorePair& pair, const Simplex& start) { return Search(pair).run(start); }

}  // namespace amontons::narrow_phase
