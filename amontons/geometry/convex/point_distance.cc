#include "amontons/geometry/convex/point_distance.h"

#include "amontons/math/elementary.h"

#include <Eigen/Geometry>

#include <cmath>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;

/// Returns the sign of a number; zero counts as positive.
double sign_of(double x) { return x < 0.0 ? -1.0 : 1.0; }

/// Returns the distance from the nearest point of a set without the point in it. The normal of
/// coincident points is +z.
PointDistance from_nearest(const Vector3d& x, const Vector3d& nearest) {
  const Vector3d offset = x - nearest;
  const double distance = offset.norm();
  return {distance, distance > 0.0 ? Vector3d(offset / distance) : Vector3d::UnitZ(), nearest};
}

/// Returns the distance from a segment along z.
PointDistance to_segment(double half_length, const Vector3d& x) {
  const Vector3d nearest(0.0, 0.0, std::clamp(x.z(), -half_length, half_length));
  if (x == nearest) return {0.0, Vector3d::UnitX(), nearest};  // across the axis
  return from_nearest(x, nearest);
}

/// Returns the distance from a box.
PointDistance to_box(const Vector3d& half, const Vector3d& x) {
  const Vector3d excess = x.cwiseAbs() - half;
  Eigen::Index axis = 0;
  const double deepest = excess.maxCoeff(&axis);
  // Inside, or beyond one face only, the nearest point is the projection to the nearest face.
  const bool nearest_is_face = (excess.array() > 0.0).count() <= 1;
  if (nearest_is_face) {
    PointDistance result{deepest, Vector3d::Zero(), x};
    result.normal[axis] = sign_of(x[axis]);
    result.nearest[axis] = std::copysign(half[axis], result.normal[axis]);
    return result;
  }
  return from_nearest(x, x.cwiseMin(half).cwiseMax(-half));
}

/// Returns the distance from a cylinder along z.
PointDistance to_cylinder(double radius, double half_length, const Vector3d& x) {
  const double rho = elementary::hypot(x.x(), x.y());
  const Vector3d radial = rho > 0.0 ? Vector3d(x.x() / rho, x.y() / rho, 0.0) : Vector3d::UnitX();
  const double side = rho - radius;
  const double cap = std::abs(x.z()) - half_length;
  const Vector3d up(0.0, 0.0, sign_of(x.z()));
  // Beyond side and cap the nearest point lies on the rim; else on the nearer of both.
  if (side > 0.0 && cap > 0.0) {
    const double distance = elementary::hypot(side, cap);
    return {distance, (side * radial + cap * up) / distance, radius * radial + half_length * up};
  }
  if (side > cap) return {side, radial, radius * radial + Vector3d(0.0, 0.0, x.z())};
  return {cap, up, Vector3d(x.x(), x.y(), half_length * up.z())};
}

/// The nearest point satisfies x_i = e_i^2 y_i / (t + e_i^2) with t the largest root of
/// sum (e_i y_i / (t + e_i^2))^2 = 1 [Eberly 2013, sec. 3]. In units of the shortest axis, t = u -
/// 1, the function is convex and falling, so Newton from below climbs to the root without
/// overshoot.
PointDistance to_ellipsoid(const Vector3d& e, const Vector3d& y) {
  Eigen::Index shortest = 0;
  const double unit = e.minCoeff(&shortest);
  const Vector3d r = (e / unit).cwiseAbs2();
  const Vector3d r_less_1 = ((e.array() - unit) * (e.array() + unit) / (unit * unit)).matrix();
  const Vector3d rz = (r.array() * y.array().abs() / e.array()).matrix();
  double u = (rz - r_less_1).maxCoeff();

  // Where one term alone is 1 lies a lower bound u of the root. With u <= 0 the point lies in a
  // plane of symmetry.
  const auto reduced = (rz.array() / r_less_1.array()).eval();
  double others = 0.0;
  for (Eigen::Index i = 0; i < 3; ++i) {
    if (r_less_1[i] > 0.0) others += reduced[i] * reduced[i];
  }
  Vector3d x;
  if (u <= 0.0 && others < 1.0) {
    // On the plane of symmetry, inside its evolute: nearest is a point above or below.
    u = 0.0;
    for (Eigen::Index i = 0; i < 3; ++i) {
      x[i] = r_less_1[i] > 0.0 ? r[i] * y[i] / r_less_1[i] : 0.0;
    }
    const double remainder = 1.0 - x.cwiseQuotient(e).squaredNorm();
    x[shortest] = e[shortest] * std::sqrt(std::max(remainder, 0.0));
    const Vector3d normal = x.cwiseQuotient(e.cwiseAbs2()).normalized();
    return {-(x - y).norm(), normal, x};
  }
  u = std::max(u, 0.0);
  // The iteration ends when rounding allows no further increase. Outside of the evolute, in the
  // plane of symmetry, it begins at 0, where the term of the shortest axis is none.
  for (int iteration = 0; iteration < 200; ++iteration) {
    const Eigen::Array3d above = (rz.array() > 0.0).select(u + r_less_1.array(), 1.0);
    const Vector3d q = (rz.array() / above).matrix();
    const double value = q.squaredNorm() - 1.0;
    const double slope = -2.0 * (q.array().square() / above).sum();
    const double next = u - value / slope;
    if (!(next > u)) break;
    u = next;
  }
  // x_i / e_i^2 = y_i / (t + e_i^2) is the gradient, so the distance is t times its length.
  const Vector3d gradient = (y.array() / (u + r_less_1.array())).matrix() / (unit * unit);
  const double length = gradient.norm();
  x = y - gradient * ((u - 1.0) * unit * unit);
  return {(u - 1.0) * unit * unit * length, gradient / length, x};
}

}  // namespace

PointDistance point_distance(const ConvexCore& core, const Vector3d& point) {
  if (core.type == CoreType::Point) {
    return from_nearest(point, core.p);
  }
  // The closed forms hold in the core's own frame.
  const Vector3d x = core.R.transpose() * (point - core.p);
  PointDistance result;
  switch (core.type) {
    case CoreType::Segment:
      result = to_segment(core.half.z(), x);
      break;
    case CoreType::Box:
      result = to_box(core.half, x);
      break;
    case CoreType::Cylinder:
      result = to_cylinder(core.half.x(), core.half.z(), x);
      break;
    default:
      result = to_ellipsoid(core.half, x);
      break;
  }
  result.normal = core.R * result.normal;
  result.nearest = core.R * result.nearest + core.p;
  return result;
}

}  // namespace amontons::narrow_phase
