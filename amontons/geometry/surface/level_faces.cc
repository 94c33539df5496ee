#include "amontons/geometry/surface/level_faces.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <utility>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;

constexpr double kFlat = SurfacePatch::kFlatAngle;
// Slacks from a border within which a point is at it [-]: points lie beside a face by one of them.
constexpr double kNear = 2.0;

/// Returns the border of a triangle's side k if x is at it.
std::optional<Border> border_at(const SurfacePatch::Triangle& triangle, std::size_t k,
                                const Vector3d& normal, const Vector3d& x, double slack) {
  const Vector3d &tail = triangle.corner[k], &head = triangle.corner[(k + 1) % 3];
  const Vector3d along = head - tail;
  const double length = along.norm();
  if (!(length > 0.0)) return std::nullopt;
  const double share = std::clamp(along.dot(x - tail) / (length * length), 0.0, 1.0);
  if ((tail + share * along - x).norm() > kNear * slack) return std::nullopt;
  Border border{tail, along.cross(normal) / length};
  if (std::min(share, 1.0 - share) * length <= slack) {
    border.way = (share < 0.5 ? along : Vector3d(-along)) / length;
  }
  return border;
}

}  // namespace

std::vector<Border> borders_at(const SurfacePatch& surface, std::size_t triangle, const Vector3d& x,
                               double slack) {
  std::vector<Border> borders;
  const int plane = surface.triangles[triangle].plane;
  const Vector3d& normal = surface.planes[static_cast<std::size_t>(plane)].normal;
  // The triangles of one plane follow each other.
  std::size_t first = triangle;
  while (first > 0 && surface.triangles[first - 1].plane == plane) --first;
  for (std::size_t t = first; t < surface.triangles.size(); ++t) {
    const SurfacePatch::Triangle& own = surface.triangles[t];
    if (own.plane != plane) break;
    for (std::size_t k = 0; k < 3; ++k) {
      if (!own.ridge[k]) continue;
      if (const auto border = border_at(own, k, normal, x, slack)) borders.push_back(*border);
    }
  }
  return borders;
}

std::vector<Border> borders_at(const SupportFeature& face, const Vector3d& n, const Vector3d& x,
                               double slack) {
  std::vector<Border> borders;
  if (face.count < 3) return borders;
  for (int k = 0; k < face.count; ++k) {
    const Vector3d& tail = face.vertices[static_cast<std::size_t>(k)].position;
    const Vector3d& head = face.vertices[static_cast<std::size_t>((k + 1) % face.count)].position;
    const Vector3d outwards = (head - tail).cross(n).normalized();
    if (outwards.dot(x - tail) >= -slack) borders.push_back({tail, outwards});
  }
  return borders;
}

std::vector<Border> borders_at(const SurfacePatch::Edge& ridge, const Vector3d& n) {
  std::vector<Border> borders;
  const Vector3d u = (ridge.head - ridge.tail).normalized();
  if ((n - ridge.left).norm() <= kFlat) borders.push_back({ridge.tail, u.cross(ridge.left)});
  if ((n - ridge.right).norm() <= kFlat) borders.push_back({ridge.tail, ridge.right.cross(u)});
  return borders;
}

bool lies_beyond(const std::vector<Border>& borders, const SurfacePatch& surface,
                 const SurfacePatch::Corner& corner, const Vector3d& n) {
  if (borders.empty()) return false;
  std::vector<char> is_reached_back(borders.size(), 0);
  bool is_level = false;
  for (std::size_t s = 0; s < corner.num_spokes; ++s) {
    const Vector3d& spoke = surface.spokes[corner.first_spoke + s];
    if (std::abs(spoke.dot(n)) > kManifoldSine) continue;
    is_level = true;
    for (std::size_t k = 0; k < borders.size(); ++k) {
      if (spoke.dot(borders[k].outwards) < -kFlat) is_reached_back[k] = 1;
    }
  }
  if (!is_level) return false;
  for (std::size_t k = 0; k < borders.size(); ++k) {
    // Another border begins here beyond this one: the face's angle is reflex.
    bool is_excused = is_reached_back[k] != 0;
    for (std::size_t l = 0; l < borders.size() && !is_excused; ++l) {
      is_excused = is_reached_back[l] != 0 && borders[l].way.dot(borders[k].outwards) > kFlat;
    }
    if (!is_excused) return true;
  }
  return false;
}

bool lies_beyond(const std::vector<Border>& borders, const ConvexCore& core, double slack) {
  return std::any_of(borders.begin(), borders.end(), [&](const Border& border) {
    const Vector3d inmost = support(core, -border.outwards);
    return border.outwards.dot(inmost - border.point) - core.radius >= -slack;
  });
}

std::optional<Vector3d> way_from_end(const SurfacePatch::Edge& edge, const Vector3d& x,
                                     double slack) {
  const Vector3d along = edge.head - edge.tail;
  const double length = along.norm(), share = along.dot(x - edge.tail) / (length * length);
  if (std::min(share, 1.0 - share) * length > slack) return std::nullopt;
  return Vector3d((share < 0.5 ? along : Vector3d(-along)) / length);
}

bool leads_away(const std::vector<Border>& borders, const Vector3d& way) {
  return std::any_of(borders.begin(), borders.end(),
                     [&way](const Border& border) { return way.dot(border.outwards) >= -kFlat; });
}

}  // namespace amontons::narrow_phase
