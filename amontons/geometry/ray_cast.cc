#include "amontons/geometry/ray_cast.h"

#include "amontons/geometry/shapes/collision_mesh.h"
#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "amontons/geometry/shapes/height_field.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Vector3d;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Holds a ray in the frame of a shape; its direction is unit.
struct Ray {
  Vector3d origin, direction;
  Vector3d at(double t) const { return origin + t * direction; }
};

/// Keeps the nearest of the points that it is offered.
class NearestHit {
 public:
  explicit NearestHit(double farthest) : distance_(farthest) {}

  double distance() const { return distance_; }
  /// Takes a point that is nearer than the best, at `t` [m], with an outward normal of any length.
  void offer(double t, const Vector3d& normal) {
    if (!(t >= 0.0) || t > distance_ || (found_ && t == distance_)) return;
    distance_ = t;
    normal_ = normal;
    found_ = true;
  }
  std::optional<RayHit> result(const Pose& X_WG) const {
    if (!found_) return std::nullopt;
    return RayHit{distance_, X_WG.rotation * normal_.normalized()};
  }

 private:
  double distance_;
  Vector3d normal_ = Vector3d::Zero();
  bool found_ = false;
};

/// Returns the interval of a ray within a box, empty (first above second) if it misses it.
std::pair<double, double> interval_in(const Aabb& box, const Ray& ray, int* enter_axis = nullptr,
                                      int* exit_axis = nullptr) {
  std::pair<double, double> interval{-kInfinity, kInfinity};
  for (int k = 0; k < 3; ++k) {
    const double o = ray.origin[k], d = ray.direction[k];
    if (d == 0.0) {
      if (o < box.lower[k] || o > box.upper[k]) return {kInfinity, -kInfinity};
      continue;
    }
    const auto [enters, leaves] = std::minmax({(box.lower[k] - o) / d, (box.upper[k] - o) / d});
    if (enters > interval.first) {
      interval.first = enters;
      if (enter_axis != nullptr) *enter_axis = k;
    }
    if (leaves < interval.second) {
      interval.second = leaves;
      if (exit_axis != nullptr) *exit_axis = k;
    }
  }
  return interval;
}

/// Calls visit(t) for both places where a ray meets |x| = radius in the first n coordinates.
template <int n, typename Visit>
void visit_round(const Ray& ray, const Vector3d& center, double radius, const Visit& visit) {
  const auto o = (ray.origin - center).head<n>().eval();
  const auto d = ray.direction.head<n>().eval();
  const double dd = d.squaredNorm();
  if (dd == 0.0) return;
  // From the point nearest to the center, where no digits cancel.
  const double middle = -o.dot(d) / dd;
  const double rest = radius * radius - (o + middle * d).squaredNorm();
  if (rest < 0.0) return;
  const double half = std::sqrt(rest / dd);
  visit(middle - half);
  visit(middle + half);
}

void cast(const Sphere& sphere, const Ray& ray, NearestHit& hit) {
  visit_round<3>(ray, Vector3d::Zero(), sphere.radius, [&](double t) { hit.offer(t, ray.at(t)); });
}

void cast(const Box& box, const Ray& ray, NearestHit& hit) {
  int enter = 0, exit = 0;
  const auto [first, last] = interval_in({-0.5 * box.size, 0.5 * box.size}, ray, &enter, &exit);
  if (first > last) return;
  // The normal at the entry opposes the ray, at the exit it goes along it.
  const auto normal = [&](int axis, double sign) -> Vector3d {
    return std::copysign(sign, sign * ray.direction[axis]) * Vector3d::Unit(axis);
  };
  hit.offer(first, normal(enter, -1.0));
  hit.offer(last, normal(exit, 1.0));
}

void cast(const Capsule& capsule, const Ray& ray, NearestHit& hit) {
  const double half = 0.5 * capsule.length;
  visit_round<2>(ray, Vector3d::Zero(), capsule.radius, [&](double t) {
    const Vector3d p = ray.at(t);
    if (std::abs(p.z()) <= half) hit.offer(t, {p.x(), p.y(), 0.0});
  });
  for (const double end : {-half, half}) {
    const Vector3d center(0.0, 0.0, end);
    visit_round<3>(ray, center, capsule.radius, [&](double t) {
      const Vector3d p = ray.at(t);
      if ((p.z() - end) * end >= 0.0) hit.offer(t, p - center);
    });
  }
}

void cast(const Cylinder& cylinder, const Ray& ray, NearestHit& hit) {
  const double half = 0.5 * cylinder.length;
  visit_round<2>(ray, Vector3d::Zero(), cylinder.radius, [&](double t) {
    const Vector3d p = ray.at(t);
    if (std::abs(p.z()) <= half) hit.offer(t, {p.x(), p.y(), 0.0});
  });
  if (ray.direction.z() == 0.0) return;
  for (const double end : {-half, half}) {
    const double t = (end - ray.origin.z()) / ray.direction.z();
    if (ray.at(t).head<2>().norm() <= cylinder.radius) hit.offer(t, {0.0, 0.0, end});
  }
}

void cast(const Ellipsoid& ellipsoid, const Ray& ray, NearestHit& hit) {
  // A unit ball in coordinates divided by the semi-axes.
  const Vector3d& a = ellipsoid.semi_axes;
  const Ray scaled{ray.origin.cwiseQuotient(a), ray.direction.cwiseQuotient(a)};
  visit_round<3>(scaled, Vector3d::Zero(), 1.0,
                 [&](double t) { hit.offer(t, scaled.at(t).cwiseQuotient(a)); });
}

void cast(const HalfSpace& half_space, const Ray& ray, NearestHit& hit) {
  const double rate = half_space.normal.dot(ray.direction);
  if (rate == 0.0) return;
  hit.offer((half_space.offset - half_space.normal.dot(ray.origin)) / rate, half_space.normal);
}

void cast(const ConvexPolyhedron& polyhedron, const Ray& ray, NearestHit& hit) {
  double first = -kInfinity, last = kInfinity;
  const ConvexPolyhedron::Face *enter = nullptr, *exit = nullptr;
  for (const ConvexPolyhedron::Face& face : polyhedron.faces()) {
    const double rate = face.normal.dot(ray.direction);
    const double outside = face.normal.dot(ray.origin) - face.offset;
    if (rate == 0.0 && outside > 0.0) return;
    if (rate == 0.0) continue;
    const double t = -outside / rate;
    if (rate < 0.0 && t > first) {
      first = t;
      enter = &face;
    } else if (rate > 0.0 && t < last) {
      last = t;
      exit = &face;
    }
  }
  if (first > last || enter == nullptr || exit == nullptr) return;
  hit.offer(first, enter->normal);
  hit.offer(last, exit->normal);
}

/// Meets triangles such that a ray through a shared edge misses at most one of both.
class TriangleCaster {
 public:
  explicit TriangleCaster(const Ray& ray) : ray_(ray) {
    // The direction becomes the third axis by a shear.
    ray.direction.cwiseAbs().maxCoeff(&z_);
    x_ = (z_ + 1) % 3;
    y_ = (z_ + 2) % 3;
    if (ray.direction[z_] < 0.0) std::swap(x_, y_);
  }

  void cast(const std::array<Vector3d, 3>& corners, const Vector3d& normal, NearestHit& hit) const {
    std::array<Eigen::Vector2d, 3> p;
    std::array<double, 3> z{};
    for (std::size_t k = 0; k < 3; ++k) {
      const Vector3d c = corners[k] - ray_.origin;
      z[k] = c[z_] / ray_.direction[z_];
      p[k] = {c[x_] - ray_.direction[x_] * z[k], c[y_] - ray_.direction[y_] * z[k]};
    }
    // Areas that the ray's point spans with each side; of one sign inside.
    const auto area = [](const Eigen::Vector2d& a, const Eigen::Vector2d& b) {
      return a.x() * b.y() - a.y() * b.x();
    };
    const double u = area(p[2], p[1]), v = area(p[0], p[2]), w = area(p[1], p[0]);
    const bool has_negative = u < 0.0 || v < 0.0 || w < 0.0;
    const bool has_positive = u > 0.0 || v > 0.0 || w > 0.0;
    const double whole = u + v + w;
    if ((has_negative && has_positive) || whole == 0.0) return;
    hit.offer((u * z[0] + v * z[1] + w * z[2]) / whole, normal);
  }

 private:
  const Ray& ray_;
  int x_ = 0, y_ = 1, z_ = 2;
};

void cast(const CollisionMesh& mesh, const Ray& ray, NearestHit& hit) {
  const TriangleCaster caster(ray);
  mesh.tree().visit_below(
      [&](std::size_t node) {
        const auto [first, last] = interval_in(mesh.tree().node(node).box, ray);
        // Rounding may put a triangle in the box's own plane just outside.
        const double rounding = 1e-12 * (std::abs(first) + std::abs(last));
        return first <= last + rounding && last >= -rounding && first <= hit.distance() + rounding;
      },
      [&](int t) {
        const std::array<Vector3d, 3> corners{mesh.corner(t, 0), mesh.corner(t, 1),
                                              mesh.corner(t, 2)};
        caster.cast(corners, (corners[1] - corners[0]).cross(corners[2] - corners[0]), hit);
      });
}

/// Meets both triangles of a cell of terrain.
void cast_cell(const HeightField& field, Index i, Index j, const TriangleCaster& caster,
               NearestHit& hit) {
  const Vector3d a = field.vertex(i, j), b = field.vertex(i + 1, j), c = field.vertex(i + 1, j + 1),
                 d = field.vertex(i, j + 1);
  caster.cast({a, b, c}, (b - a).cross(c - a), hit);
  caster.cast({a, c, d}, (c - a).cross(d - a), hit);
}

void cast(const HeightField& field, const Ray& ray, NearestHit& hit) {
  const Vector3d half(0.5 * field.size_x(), 0.5 * field.size_y(), 0.0);
  const Vector3d bottom(0.0, 0.0, field.lowest()), top(0.0, 0.0, field.highest());
  const auto [first, last] = interval_in({bottom - half, top + half}, ray);
  const double begin = std::max(first, 0.0);
  if (begin > last) return;
  const TriangleCaster caster(ray);
  const Index nx = field.heights().rows() - 1, ny = field.heights().cols() - 1;
  const Vector3d spacing(field.spacing_x(), field.spacing_y(), 0.0);
  // The cell in which the ray enters, and the distances at which it crosses lines of the grid.
  const Vector3d start = ray.at(begin) + half;
  std::array<Index, 2> cell{}, step{}, size{nx, ny};
  std::array<double, 2> next{}, apart{};
  for (int k = 0; k < 2; ++k) {
    const auto own = static_cast<std::size_t>(k);
    const double d = ray.direction[k];
    cell[own] =
        std::clamp<Index>(static_cast<Index>(std::floor(start[k] / spacing[k])), 0, size[own] - 1);
    step[own] = d < 0.0 ? -1 : 1;
    const double line = static_cast<double>(cell[own] + (d < 0.0 ? 0 : 1)) * spacing[k] - half[k];
    next[own] = d == 0.0 ? kInfinity : (line - ray.origin[k]) / d;
    apart[own] = d == 0.0 ? kInfinity : spacing[k] / std::abs(d);
  }
  // Rounding at a line may choose the neighbor, so that cells beside the way are met, too.
  // Bound: each pass leaves a row or a column of cells.
  while (true) {
    for (Index i = std::max<Index>(0, cell[0] - 1); i <= std::min(nx - 1, cell[0] + 1); ++i) {
      for (Index j = std::max<Index>(0, cell[1] - 1); j <= std::min(ny - 1, cell[1] + 1); ++j) {
        cast_cell(field, i, j, caster, hit);
      }
    }
    const std::size_t k = next[0] <= next[1] ? 0 : 1;
    if (next[k] > last || next[k] > hit.distance()) return;
    cell[k] += step[k];
    next[k] += apart[k];
    if (cell[k] < 0 || cell[k] >= size[k]) return;
  }
}

template <typename Shared>
void cast(const std::shared_ptr<const Shared>& shape, const Ray& ray, NearestHit& hit) {
  cast(*shape, ray, hit);
}

}  // namespace

std::optional<RayHit> cast_ray(const Shape& shape, const Pose& X_WG, const Vector3d& origin_W,
                               const Vector3d& direction_W, double max_distance) {
  const double length = direction_W.stableNorm();
  if (!(length > 0.0) || !std::isfinite(length) || !origin_W.allFinite()) {
    throw std::invalid_argument("a ray needs a finite origin and a direction that is not zero");
  }
  const Ray ray{X_WG.rotation.transpose() * (origin_W - X_WG.translation),
                X_WG.rotation.transpose() * (direction_W / length)};
  NearestHit hit(max_distance);
  std::visit([&](const auto& one) { cast(one, ray, hit); }, shape);
  return hit.result(X_WG);
}

}  // namespace amontons
