#include "amontons/geometry/convex/passing_normal.h"

#include "amontons/geometry/shapes/convex_polyhedron.h"

#include <limits>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;

// Gaps of this size, relative to the shapes' sizes, are rounding or left over from contact [-].
constexpr double kTouchingSlack = 1e-6;

/// Calls visit(n) with the outward unit normal, in F, of each face of a core that holds a point of
/// its surface to within `slack` [m].
template <class Visitor>
void visit_faces_at(const ConvexCore& core, const Vector3d& point, double slack,
                    const Visitor& visit) {
  const Vector3d x = core.R.transpose() * (point - core.p);
  if (core.type == CoreType::Box || core.type == CoreType::Cylinder) {
    // Only the caps of a cylinder are faces.
    for (int i = core.type == CoreType::Box ? 0 : 2; i < 3; ++i) {
      for (const double side : {-1.0, 1.0}) {
        if (core.half[i] - side * x[i] <= slack) visit(Vector3d(side * core.R.col(i)));
      }
    }
  } else if (core.type == CoreType::Polyhedron) {
    for (const ConvexPolyhedron::Face& face : core.polyhedron->faces()) {
      if (face.offset - face.normal.dot(x) <= slack) visit(Vector3d(core.R * face.normal));
    }
  }
}

/// Returns the velocity with which the surface of a round core moves at a point of it [m/s]: what
/// turns about its axis of symmetry, or a ball, stays where it is. None for other cores.
std::optional<Vector3d> velocity_of_round(const ConvexCore& core, const Vector3d& on_core,
                                          const ClosingMotion::Twist& twist) {
  if (core.radius > 0.0) return twist.at(on_core);
  if (core.type != CoreType::Cylinder) return std::nullopt;
  const Vector3d axis = core.R.col(2);
  return twist.at(on_core) - twist.angular.dot(axis) * axis.cross(on_core - core.p);
}

}  // namespace

double gap_along(const CorePair& pair, const Vector3d& n) {
  return n.dot(nearest_along(pair, n).w) - pair.A.radius - pair.B.radius;
}

std::optional<Vector3d> passing_normal(const CorePair& pair, const Separation& nearest,
                                       const ClosingMotion& motion) {
  const double slack = kTouchingSlack * pair.size();
  const Vector3d on_A = nearest.a - pair.A.radius * nearest.normal;
  const Vector3d on_B = nearest.b + pair.B.radius * nearest.normal;
  std::optional<Vector3d> round = velocity_of_round(pair.B, on_B, motion.twists[0]);
  if (!round) round = velocity_of_round(pair.A, on_A, motion.twists[0]);
  const Vector3d velocity = round ? *round : motion.twists[0].at(0.5 * (nearest.a + nearest.b));
  // An ellipsoid that rolls closes a gap along n at the speed of its point there.
  const auto velocity_along = [&](const Vector3d& n) -> Vector3d {
    if (pair.B.type == CoreType::Ellipsoid) return motion.twists[0].at(support(pair.B, -n));
    if (pair.A.type == CoreType::Ellipsoid) return motion.twists[0].at(support(pair.A, n));
    return velocity;
  };
  // Returns the time until a gap along n closes [s].
  const auto time_along = [&](const Vector3d& n, double gap) {
    const double closing = -n.dot(velocity_along(n));
    return closing > 0.0 ? (gap + slack) / closing : std::numeric_limits<double>::infinity();
  };
  double latest = time_along(nearest.normal, nearest.distance);
  if (nearest.distance < -slack || latest >= motion.time) return std::nullopt;
  // Of the faces at the nearest points, the one along which the shapes meet last.
  std::optional<Vector3d> passing;
  const auto offer = [&](const Vector3d& n) {
    const double gap = gap_along(pair, n);
    if (gap < -slack) return;
    const double time = time_along(n, gap);
    if (time <= latest) return;
    latest = time;
    passing = n;
  };
  visit_faces_at(pair.A, on_A, slack, offer);
  visit_faces_at(pair.B, on_B, slack, [&](const Vector3d& n) { offer(-n); });
  return passing;
}

}  // namespace amontons::narrow_phase
