#include "amontons/geometry/surface/mesh_query.h"

#include "amontons/geometry/shapes/triangle_distance.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {
namespace {

using Eigen::Vector3d;

// Squared distances that differ by less are equal, relative to the squared coordinates [-].
constexpr double kTie = 1e-14;

// Part of a normal along a direction that counts as none [-].
constexpr double kAcross = 1e-9;

/// Returns the point nearest to x of the facets for which `counts(normal)` is true.
template <class Counts>
NearestOnMesh nearest_of(const CollisionMesh& mesh, const Vector3d& x, const Counts& counts) {
  NearestOnMesh best;
  best.distance = std::numeric_limits<double>::infinity();
  double best_squared = std::numeric_limits<double>::infinity();
  double best_height = 0.0;
  const double scale = mesh.bounding_radius() + x.norm();
  const double tie = kTie * scale * scale;
  // Ties are broken by the largest height over the facet: at a ridge the more direct facet decides.
  mesh.tree().visit_nearest(x, best_squared, [&](int t) {
    const auto& facet = mesh.facets()[static_cast<std::size_t>(mesh.facet_of(t))];
    if (!counts(facet.normal)) return best_squared + tie;
    const Vector3d point = nearest_in_triangle(mesh.triangle(t), x);
    const double squared = (x - point).squaredNorm();
    const double height = facet.normal.dot(x - point);
    const bool is_nearer = squared < best_squared - tie;
    const bool is_as_near = squared <= best_squared + tie;
    if (is_nearer || (is_as_near && std::abs(height) > std::abs(best_height))) {
      best = {point, std::sqrt(squared), mesh.facet_of(t)};
      best_height = height;
    }
    best_squared = std::min(best_squared, squared);
    // A tied triangle must be visited as well, so the bound includes the tie.
    return best_squared + tie;
  });
  return best;
}

}  // namespace

NearestOnMesh nearest_on_mesh(const CollisionMesh& mesh, const Vector3d& x) {
  return nearest_of(mesh, x, [](const Vector3d& /*normal*/) { return true; });
}

NearestOnMesh nearest_facing_away(const CollisionMesh& mesh, const Vector3d& x,
                                  const Vector3d& direction) {
  return nearest_of(mesh, x,
                    [&](const Vector3d& normal) { return normal.dot(direction) <= kAcross; });
}

std::optional<int> first_entry(const CollisionMesh& mesh, const Vector3d& p, const Vector3d& q,
                               double slack) {
  std::optional<int> entered;
  double first = std::numeric_limits<double>::infinity();
  mesh.tree().visit_along(p, q, slack, [&](int t) {
    const auto& facet = mesh.facets()[static_cast<std::size_t>(mesh.facet_of(t))];
    // Only a segment from front to back enters; of equal crossings the smallest facet counts.
    const double from = facet.normal.dot(p) - facet.offset;
    const double to = facet.normal.dot(q) - facet.offset;
    if (from <= 0.0 || to >= 0.0) return;
    const double s = from / (from - to);
    if (s > first || (s == first && entered && *entered <= mesh.facet_of(t))) return;
    // The crossing lies in the triangle, grown by the slack.
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
