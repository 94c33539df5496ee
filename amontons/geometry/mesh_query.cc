#include "amontons/geometry/mesh_query.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {
namespace {

using Eigen::Vector3d;

/// Squared distances that differ by less are equal, relative to the coordinates [-].
constexpr double kTie = 1e-14;

/// Nearest point of a triangle [Ericson 2005, sec. 5.1.5].
Vector3d nearest_in_triangle(const Vector3d& a, const Vector3d& b, const Vector3d& c,
                             const Vector3d& p) {
  const Vector3d ab = b - a, ac = c - a;
  const double d1 = ab.dot(p - a), d2 = ac.dot(p - a);
  if (d1 <= 0.0 && d2 <= 0.0) return a;
  const double d3 = ab.dot(p - b), d4 = ac.dot(p - b);
  if (d3 >= 0.0 && d4 <= d3) return b;
  const double d5 = ab.dot(p - c), d6 = ac.dot(p - c);
  if (d6 >= 0.0 && d5 <= d6) return c;
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return a + d1 / (d1 - d3) * ab;
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return a + d2 / (d2 - d6) * ac;
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) {
    return b + (d4 - d3) / ((d4 - d3) + (d5 - d6)) * (c - b);
  }
  const double sum = va + vb + vc;
  if (!(sum > 0.0)) return a;
  return a + vb / sum * ab + vc / sum * ac;
}

}  // namespace

NearestOnMesh nearest_on_mesh(const CollisionMesh& mesh, const Vector3d& x) {
  NearestOnMesh best;
  double best_squared = std::numeric_limits<double>::infinity();
  double best_height = 0.0;
  const double scale = mesh.bounding_radius() + x.norm();
  const double tie = kTie * scale * scale;
  mesh.tree().visit_nearest(x, best_squared, [&](int t) {
    const Vector3d point =
        nearest_in_triangle(mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2), x);
    const double squared = (x - point).squaredNorm();
    const auto& facet = mesh.facets()[static_cast<std::size_t>(mesh.facet_of(t))];
    const double height = facet.normal.dot(x - point);
    const bool is_nearer = squared < best_squared - tie;
    const bool is_as_near = squared <= best_squared + tie;
    if (is_nearer || (is_as_near && std::abs(height) > std::abs(best_height))) {
      best = {point, std::sqrt(squared), mesh.facet_of(t), height < 0.0};
      best_height = height;
    }
    best_squared = std::min(best_squared, squared);
    return best_squared + tie;
  });
  return best;
}

std::optional<int> first_entry(const CollisionMesh& mesh, const Vector3d& p, const Vector3d& q,
                               double slack) {
  std::optional<int> entered;
  double first = std::numeric_limits<double>::infinity();
  mesh.tree().visit_along(p, q, slack, [&](int t) {
    const auto& facet = mesh.facets()[static_cast<std::size_t>(mesh.facet_of(t))];
    const double from = facet.normal.dot(p) - facet.offset;
    const double to = facet.normal.dot(q) - facet.offset;
    if (from <= 0.0 || to >= 0.0) return;
    const double s = from / (from - to);
    if (s > first || (s == first && entered && *entered <= mesh.facet_of(t))) return;
    const Vector3d crossing = p + s * (q - p);
    for (std::size_t k = 0; k < 3; ++k) {
      const Vector3d tail = mesh.corner(t, k);
      const Vector3d along = mesh.corner(t, (k + 1) % 3) - tail;
      if (facet.normal.dot(along.cross(crossing - tail)) < -slack * along.norm()) return;
    }
    first = s;
    entered = mesh.facet_of(t);
  });
  return entered;
}

}  // namespace amontons
