#include "amontons/geometry/wrap.h"

#include "amontons/math/elementary.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <numbers>

// The cord in the plane of a circle about the origin; MuJoCo's rules say which way it takes.

namespace amontons {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

// Lengths and squares of lengths below this are zero in MuJoCo.
constexpr double kSmallest = 1e-15;

/// Holds the points where a cord meets and leaves a circle, and the arc between them.
struct Arc {
  Vector2d first, last;  // [m]
  double length = 0.0;   // [m]
};

double cross(const Vector2d& a, const Vector2d& b) { return a.x() * b.y() - a.y() * b.x(); }

/// Returns a vector turned by a quarter of a turn, to the left.
Vector2d turned(const Vector2d& a) { return {-a.y(), a.x()}; }

/// Returns the point of the line from a to b that is nearest to the origin.
Vector2d nearest_to_origin(const Vector2d& a, const Vector2d& b) {
  const Vector2d way = b - a;
  return a + std::clamp(-a.dot(way) / way.squaredNorm(), 0.0, 1.0) * way;
}

/// Returns true if the lines from a to b and from c to d cross.
bool do_cross(const Vector2d& a, const Vector2d& b, const Vector2d& c, const Vector2d& d) {
  const double det = cross(b - a, d - c);
  if (std::abs(det) < kSmallest) return false;
  const double s = cross(c - a, d - c) / det, t = cross(c - a, b - a) / det;
  return s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0;
}

/// Returns the point where a tangent through p touches the circle, seen from p to its left for
/// turn = -1 and to its right for +1.
Vector2d tangent_point(const Vector2d& p, double radius, double turn) {
  const double along = std::sqrt(std::max(0.0, p.squaredNorm() - radius * radius));
  return radius * (radius * p - turn * along * turned(p)) / p.squaredNorm();
}

/// Returns the angle from a to b in the sense of `turn` (+1: to the left), in [0, 2 pi) [rad].
double angle_between(const Vector2d& a, const Vector2d& b, double turn) {
  const double angle = turn * elementary::atan2(cross(a, b), a.dot(b));
  return angle < 0.0 ? angle + 2.0 * std::numbers::pi : angle;
}

/// Returns the arc around the outside of a circle, or nothing where the cord is straight.
std::optional<Arc> wrap_outside(const Vector2d& a, const Vector2d& b, double radius,
                                const std::optional<Vector2d>& side) {
  if ((b - a).squaredNorm() < kSmallest) return std::nullopt;
  // A line that misses the circle stays straight, unless it passes on the wrong side.
  const Vector2d nearest = nearest_to_origin(a, b);
  if (nearest.norm() > radius && (!side || side->dot(nearest) >= 0.0)) return std::nullopt;
  // Both ways around: the one towards the side point, else the shorter one.
  std::optional<Arc> best;
  double best_merit = 0.0;
  for (const double turn : {-1.0, 1.0}) {
    Arc arc{tangent_point(a, radius, -turn), tangent_point(b, radius, turn)};
    if (do_cross(a, arc.first, b, arc.last)) continue;
    const double merit = side ? (arc.first + arc.last).normalized().dot(*side)
                              : -(arc.first - arc.last).squaredNorm();
    if (best && merit <= best_merit) continue;
    arc.length = radius * angle_between(arc.first, arc.last, turn);
    best = arc;
    best_merit = merit;
  }
  return best;
}

/// Returns the point at which a cord touches a circle from inside, or nothing where its line meets
/// the circle. The point makes the cord shortest among those of the circle between both ends.
std::optional<Arc> wrap_inside(const Vector2d& a, const Vector2d& b, double radius) {
  if ((b - a).squaredNorm() > kSmallest && nearest_to_origin(a, b).norm() <= radius) {
    return std::nullopt;
  }
  const double whole = elementary::atan2(cross(a, b), a.dot(b));
  const auto point = [&](double share) -> Vector2d {
    const double angle = share * whole;
    return radius / a.norm() * (elementary::cos(angle) * a + elementary::sin(angle) * turned(a));
  };
  // The slope of the length along the circle rises from the end towards a to that towards b.
  const auto slope = [&](const Vector2d& p) {
    const Vector2d along = (whole < 0.0 ? -1.0 : 1.0) * turned(p);
    return along.dot((p - a).normalized() + (p - b).normalized());
  };
  constexpr int kHalvings = 60;  // down to the rounding of a share
  double before = 0.0, behind = 1.0;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = 0.5 * (before + behind);
    (slope(point(middle)) < 0.0 ? before : behind) = middle;
  }
  const Vector2d touch = point(0.5 * (before + behind));
  return Arc{touch, touch, 0.0};
}

/// Holds the axes of the plane in which a cord passes around a surface, as columns.
using Plane = Eigen::Matrix<double, 3, 2>;

/// Returns the plane across a cylinder, or that through both ends and the center of a sphere.
Plane plane_of(const WrapSurface& surface, const Vector3d& a, const Vector3d& b) {
  Plane plane = Plane::Identity();
  if (surface.is_cylinder) return plane;
  Vector3d normal = a.cross(b);
  if (normal.norm() < kSmallest) {
    // Ends in line with the center: a plane through the axis that is farthest from theirs.
    Eigen::Index longest = 0;
    a.cwiseAbs().maxCoeff(&longest);
    Vector3d other = Vector3d::Ones();
    other[longest] = 0.0;
    normal = a.cross(other);
  }
  plane.col(0) = a.normalized();
  plane.col(1) = normal.cross(a).normalized();
  return plane;
}

}  // namespace

std::optional<Wrap> wrap_cord(const WrapSurface& surface, const Vector3d& a, const Vector3d& b,
                              const std::optional<Vector3d>& side) {
  const double radius = surface.radius;
  if (radius < kSmallest || a.norm() < kSmallest || b.norm() < kSmallest) return std::nullopt;
  // The problem in the plane, where an end within the circle leaves the cord straight.
  const Plane plane = plane_of(surface, a, b);
  const Vector2d a2 = plane.transpose() * a, b2 = plane.transpose() * b;
  if (a2.norm() < radius || b2.norm() < radius) return std::nullopt;
  std::optional<Vector2d> side2;
  if (side) side2 = plane.transpose() * *side;
  const bool inside = side2 && side2->norm() < radius;
  const std::optional<Arc> arc =
      inside ? wrap_inside(a2, b2, radius) : wrap_outside(a2, b2, radius, side2);
  if (!arc) return std::nullopt;
  Wrap wrap{plane * arc->first, plane * arc->last, arc->length};
  if (!surface.is_cylinder) return wrap;
  // Along the axis the cord rises in proportion to its way around.
  const double before = (arc->first - a2).norm(), behind = (b2 - arc->last).norm();
  const double rise = (b.z() - a.z()) / (before + arc->length + behind);
  wrap.first.z() = a.z() + rise * before;
  wrap.last.z() = b.z() - rise * behind;
  wrap.length = elementary::hypot(arc->length, rise * arc->length);
  return wrap;
}

}  // namespace amontons
