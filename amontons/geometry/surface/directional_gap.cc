#include "amontons/geometry/surface/directional_gap.h"

#include "amontons/geometry/shapes/triangle_distance.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;

constexpr double kNone = std::numeric_limits<double>::infinity();
// Share of a side by which a point beside a triangle, or past an end of a side, still meets it [-].
constexpr double kBeside = 1e-9;

/// Returns the way of a point along a direction to a triangle [m], if it does not lead backwards.
double way_to(const Vector3d& x, const Vector3d& direction, const Triangle& triangle) {
  const Vector3d n = (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]);
  const double speed = n.dot(direction);
  if (std::abs(speed) <= kBeside * n.norm()) return kNone;
  const double way = n.dot(triangle[0] - x) / speed;
  if (way < 0.0) return kNone;
  const Vector3d hit = x + way * direction;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vector3d along = triangle[(k + 1) % 3] - triangle[k];
    if (n.dot(along.cross(hit - triangle[k])) < -kBeside * n.squaredNorm()) return kNone;
  }
  return way;
}

/// Returns the way of a side from q to q + v along a direction to a side from p to p + u [m].
double way_between(const Vector3d& p, const Vector3d& u, const Vector3d& q, const Vector3d& v,
                   const Vector3d& direction) {
  // p + s u = q + t v + way direction.
  const Vector3d across = u.cross(v), offset = p - q;
  const double volume = across.dot(direction);
  if (std::abs(volume) <= kBeside * u.norm() * v.norm()) return kNone;
  const double way = across.dot(offset) / volume;
  const double s = v.cross(direction).dot(-offset) / volume;
  const double t = u.cross(direction).dot(-offset) / volume;
  const auto is_inside = [](double share) { return share >= -kBeside && share <= 1.0 + kBeside; };
  return way >= 0.0 && is_inside(s) && is_inside(t) ? way : kNone;
}

/// Holds the least and the largest coordinate of a triangle along an axis [m].
struct Extent {
  double least, largest;

  Extent(const Triangle& triangle, const Vector3d& axis) {
    const double x = axis.dot(triangle[0]), y = axis.dot(triangle[1]), z = axis.dot(triangle[2]);
    least = std::min({x, y, z});
    largest = std::max({x, y, z});
  }
};

/// Returns true if B, moved along -n by at most a limit [m], passes A: beside it, or not far
/// enough.
/// @param across  two axes normal to n.
bool passes(const Triangle& A, const Triangle& B, const Vector3d& n,
            const std::array<Vector3d, 2>& across, double limit, double slack) {
  const Extent own(A, n), other(B, n);
  if (other.least - own.largest > limit || other.largest < own.least - slack) return true;
  return std::any_of(across.begin(), across.end(), [&](const Vector3d& axis) {
    const Extent of_A(A, axis), of_B(B, axis);
    return of_B.least > of_A.largest + slack || of_A.least > of_B.largest + slack;
  });
}

/// Keeps the nearest of the ways in which B, moved along -n, meets A.
void meet(const Triangle& A, const Triangle& B, const Vector3d& n, DirectionalGap& nearest) {
  const auto offer = [&](double way, const Vector3d& normal) {
    if (way < nearest.way) nearest = {way, normal};
  };
  const Vector3d n_A = (A[1] - A[0]).cross(A[2] - A[0]), n_B = (B[1] - B[0]).cross(B[2] - B[0]);
  for (std::size_t i = 0; i < 3; ++i) {
    offer(way_to(B[i], -n, A), n_A);
    offer(way_to(A[i], n, B), n_B);
    const Vector3d u = A[(i + 1) % 3] - A[i];
    for (std::size_t j = 0; j < 3; ++j) {
      const Vector3d v = B[(j + 1) % 3] - B[j];
      offer(way_between(A[i], u, B[j], v, -n), u.cross(v));
    }
  }
}

}  // namespace

std::optional<DirectionalGap> directional_gap(const CollisionMesh& A, const CollisionMesh& B,
                                              const Pose& X_AB, const Vector3d& n, double limit) {
  // What is nearer along a direction is at most as near in all.
  DirectionalGap nearest{limit, Vector3d::Zero()};
  Eigen::Index least = 0;
  n.cwiseAbs().minCoeff(&least);
  const Vector3d u = n.cross(Vector3d::Unit(least)).normalized();
  const std::array<Vector3d, 2> across{u, n.cross(u)};
  const double slack = kBeside * (A.bounding_radius() + B.bounding_radius());
  A.tree().visit_nearest_pairs(B.tree(), X_AB, limit * limit, [&](int a, int b) {
    const Triangle own = A.triangle(a);
    Triangle theirs = B.triangle(b);
    for (Vector3d& corner : theirs) corner = X_AB * corner;
    if (!passes(own, theirs, n, across, nearest.way, slack)) meet(own, theirs, n, nearest);
    return nearest.way * nearest.way;
  });
  if (!(nearest.way < limit)) return std::nullopt;
  nearest.normal.normalize();
  if (nearest.normal.dot(n) < 0.0) nearest.normal = -nearest.normal;
  return nearest;
}

}  // namespace amontons::narrow_phase
