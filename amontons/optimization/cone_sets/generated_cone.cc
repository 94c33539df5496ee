#include "amontons/optimization/cone_sets/generated_cone.h"

#include "amontons/math/elementary.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace amontons {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

/// Returns the angle of the tangential part [rad]; 0 where there is none.
double angle_of(const Vector3d& p) {
  return p.x() == 0.0 && p.y() == 0.0 ? 0.0 : elementary::atan2(p.y(), p.x());
}

/// Returns the angle of a polygon's side [rad].
double side_angle(const GeneratedCone& polygon) { return 2.0 * std::numbers::pi / polygon.corners; }

/// Returns k modulo the number of corners.
int corner_index(const GeneratedCone& polygon, double k) {
  const int index = static_cast<int>(k) % polygon.corners;
  return index < 0 ? index + polygon.corners : index;
}

/// Returns corner k at n = 1.
Vector3d corner(const GeneratedCone& polygon, int k) {
  const double angle = polygon.turn + k * side_angle(polygon);
  return {polygon.radius * elementary::cos(angle), polygon.radius * elementary::sin(angle), 1.0};
}

/// Returns y of the point a y_0 + b y_1 nearest to z, for any signs of y.
Vector2d span_coordinates(const Vector3d& a, const Vector3d& b, const Vector3d& z) {
  // The normal equations of least squares, 2 x 2.
  const double aa = a.squaredNorm(), ab = a.dot(b), bb = b.squaredNorm();
  const double det = aa * bb - ab * ab;
  return Vector2d(bb * a.dot(z) - ab * b.dot(z), aa * b.dot(z) - ab * a.dot(z)) / det;
}

/// Projects on a ray: P(z) = max(0, unit . z) unit.
ConeProjection project_on_ray(const Vector3d& ray, const Vector3d& z) {
  const Vector3d unit = ray.normalized();
  const double along = unit.dot(z);
  if (!(along > 0.0)) return {};
  return {along * unit, unit * unit.transpose()};
}

/// Projects on the cone over two rays: on its inside or on one of the rays.
ConeProjection project_on_wedge(const Vector3d& a, const Vector3d& b, const Vector3d& z) {
  // Inside both signs are right; else the nearer of the projections on the rays.
  const Vector2d y = span_coordinates(a, b, z);
  if (y.minCoeff() >= 0.0) {
    const Vector3d normal = a.cross(b).normalized();
    return {y(0) * a + y(1) * b, Matrix3d::Identity() - normal * normal.transpose()};
  }
  const ConeProjection on_a = project_on_ray(a, z), on_b = project_on_ray(b, z);
  return on_a.r.squaredNorm() > on_b.r.squaredNorm() ? on_a : on_b;
}

/// Projects on the cone over a polygon. The cone is its own mirror image in the planes between its
/// sectors, so the nearest point lies in the sector of z.
ConeProjection project_on_polygon_cone(const GeneratedCone& polygon, const Vector3d& z) {
  const double side = side_angle(polygon);
  const double sector = std::floor((angle_of(z) - polygon.turn) / side);
  const Vector3d a = corner(polygon, corner_index(polygon, sector));
  const Vector3d b = corner(polygon, corner_index(polygon, sector + 1.0));
  // Inside the plane through both corners the point is its own projection.
  if (a.cross(b).dot(z) >= 0.0) return {z, Matrix3d::Identity()};
  return project_on_wedge(a, b, z);
}

/// Writes a point as a combination of the two corners of its sector and the axis.
std::vector<ConeCoordinate> polygon_coordinates(const GeneratedCone& polygon,
                                                const Vector3d& inside) {
  // The tangential part by the law of sines in the triangle of both corners.
  const double side = side_angle(polygon);
  const double turned = (angle_of(inside) - polygon.turn) / side, sector = std::floor(turned);
  const double beyond = (turned - sector) * side, length = inside.head<2>().norm();
  const double first =
      length * elementary::sin(side - beyond) / (elementary::sin(side) * polygon.radius);
  const double second = length * elementary::sin(beyond) / (elementary::sin(side) * polygon.radius);
  const double scale = elementary::hypot(1.0, polygon.radius);
  std::vector<ConeCoordinate> result;
  const auto add = [&](int generator, double value) {
    if (value > 0.0) result.push_back({generator, value});
  };
  add(corner_index(polygon, sector), scale * first);
  add(corner_index(polygon, sector + 1.0), scale * second);
  // The axis carries the rest of n.
  add(polygon.corners, inside.z() - first - second);
  return result;
}

}  // namespace

Vector3d GeneratedCone::generator(int k) const {
  if (kind != Kind::Polygon) return rays[static_cast<std::size_t>(k)].normalized();
  return k == corners ? Vector3d(Vector3d::UnitZ()) : Vector3d(corner(*this, k).normalized());
}

int GeneratedCone::steepest(const Vector3d& g) const {
  if (kind == Kind::Polygon) {
    // The corner nearest in angle is the steepest one; the axis competes with it.
    const int k = corner_index(*this, std::round((angle_of(g) - turn) / side_angle(*this)));
    return generator(k).dot(g) > g.z() ? k : corners;
  }
  return num_rays == 2 && rays[1].normalized().dot(g) > rays[0].normalized().dot(g) ? 1 : 0;
}

ConeProjection GeneratedCone::project(const Vector3d& z) const {
  if (kind == Kind::Disc) {
    // The disc's projection is that of a friction cone of the same slope.
    return cone_projection({ConeKind::Friction, radius, 0.0}, ConeLaw::Associated, z);
  }
  if (kind == Kind::Polygon) return project_on_polygon_cone(*this, z);
  if (num_rays == 0) return {};
  return num_rays == 1 ? project_on_ray(rays[0], z) : project_on_wedge(rays[0], rays[1], z);
}

GeneratedCone polygon_within(const GeneratedCone& disc, int corners, const Vector3d& toward) {
  GeneratedCone result;
  result.kind = GeneratedCone::Kind::Polygon;
  result.radius = disc.radius;
  result.corners = corners;
  result.turn = angle_of(toward);
  return result;
}

std::vector<ConeCoordinate> coordinates(const GeneratedCone& cone, const Vector3d& inside) {
  // The apex has no generators.
  if (cone.is_apex()) return {};
  if (cone.kind == GeneratedCone::Kind::Polygon) return polygon_coordinates(cone, inside);
  std::vector<ConeCoordinate> result;
  // Generators have unit length; the rays are given with n = 1.
  const auto add = [&](int k, double value) {
    const double scaled = value * cone.rays[static_cast<std::size_t>(k)].norm();
    if (scaled > 0.0) result.push_back({k, scaled});
  };
  if (cone.num_rays == 1) {
    add(0, inside.z());
  } else {
    const Vector2d y = span_coordinates(cone.rays[0], cone.rays[1], inside);
    add(0, y(0));
    add(1, y(1));
  }
  return result;
}

}  // namespace amontons
