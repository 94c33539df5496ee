#include "amontons/geometry/surface/terrain_features.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>

namespace amontons::narrow_phase {
namespace {

/// Returns the cell of a coordinate [m] along one axis; outside of the field that of the border.
Eigen::Index cell_index(double x, double size, double spacing, Eigen::Index num_cells) {
  const double cells = std::floor((x + 0.5 * size) / spacing);
  return static_cast<Eigen::Index>(std::clamp(cells, 0.0, static_cast<double>(num_cells - 1)));
}

}  // namespace

using Eigen::Vector3d;

TerrainFeatures::Index TerrainFeatures::cell_x(double x) const {
  return cell_index(x, field_.size_x(), field_.spacing_x(), num_cells_x());
}
TerrainFeatures::Index TerrainFeatures::cell_y(double y) const {
  return cell_index(y, field_.size_y(), field_.spacing_y(), num_cells_y());
}

bool TerrainFeatures::has_vertex(Index i, Index j) const {
  return i >= 0 && j >= 0 && i <= num_cells_x() && j <= num_cells_y();
}

bool TerrainFeatures::has_cell(Index i, Index j) const {
  return i >= 0 && j >= 0 && i < num_cells_x() && j < num_cells_y();
}

bool TerrainFeatures::has_edge(Index i, Index j, Family family) const {
  if (!has_vertex(i, j)) return false;
  const bool to_x = family != Family::AlongY;
  const bool to_y = family != Family::AlongX;
  return has_vertex(i + (to_x ? 1 : 0), j + (to_y ? 1 : 0));
}

Vector3d TerrainFeatures::triangle_normal(Index i, Index j, bool upper) const {
  const Eigen::MatrixXd& h = field_.heights();
  const double rise_x = upper ? h(i + 1, j + 1) - h(i, j + 1) : h(i + 1, j) - h(i, j);
  const double rise_y = upper ? h(i, j + 1) - h(i, j) : h(i + 1, j + 1) - h(i + 1, j);
  // The plane z = z0 + (rise_x / dx) x + (rise_y / dy) y has the gradient's negative as normal.
  return Vector3d(-rise_x / field_.spacing_x(), -rise_y / field_.spacing_y(), 1.0).normalized();
}

SurfacePatch::Edge TerrainFeatures::edge(Index i, Index j, Family family) const {
  SurfacePatch::Edge result;
  result.tail = field_.vertex(i, j);
  // Beyond the border the outward horizontal replaces the normal of the missing triangle.
  switch (family) {
    case Family::AlongX:
      result.head = field_.vertex(i + 1, j);
      result.left = has_cell(i, j) ? triangle_normal(i, j, false) : Vector3d::UnitY();
      result.right = has_cell(i, j - 1) ? triangle_normal(i, j - 1, true) : -Vector3d::UnitY();
      break;
    case Family::AlongY:
      result.head = field_.vertex(i, j + 1);
      result.left = has_cell(i - 1, j) ? triangle_normal(i - 1, j, false) : -Vector3d::UnitX();
      result.right = has_cell(i, j) ? triangle_normal(i, j, true) : Vector3d::UnitX();
      break;
    case Family::Diagonal:
      result.head = field_.vertex(i + 1, j + 1);
      result.left = triangle_normal(i, j, true);
      result.right = triangle_normal(i, j, false);
      break;
  }
  return result;
}

void TerrainFeatures::add_triangle(Index i, Index j, bool upper, SurfacePatch& patch) const {
  SurfacePatch::Triangle triangle;
  triangle.corner = {field_.vertex(i, j), field_.vertex(i + 1, upper ? j + 1 : j),
                     field_.vertex(upper ? i : i + 1, j + 1)};
  const Vector3d normal = triangle_normal(i, j, upper);
  const double offset = normal.dot(triangle.corner[0]);
  const bool same = !patch.planes.empty() && patch.planes.back().normal == normal &&
                    patch.planes.back().offset == offset;
  if (!same) {
    patch.planes.push_back({normal, offset});
    patch.facet_of_plane.push_back(static_cast<int>(2 * (i * num_cells_y() + j) + (upper ? 1 : 0)));
  }
  triangle.plane = static_cast<int>(patch.planes.size()) - 1;
  patch.triangles.push_back(triangle);
}

void TerrainFeatures::add_edges(Index i, Index j, double lowest, SurfacePatch& patch) const {
  for (const Family family : {Family::AlongX, Family::AlongY, Family::Diagonal}) {
    if (!has_edge(i, j, family)) continue;
    SurfacePatch::Edge found = edge(i, j, family);
    // Only ridges that reach the box can touch from above.
    if (std::max(found.tail.z(), found.head.z()) < lowest || !found.is_ridge()) continue;
    const auto vertex = static_cast<std::uint32_t>(i * field_.heights().cols() + j);
    found.id = vertex * 3u + static_cast<std::uint32_t>(family);
    patch.edges.push_back(found);
  }
}

void TerrainFeatures::add_corner(Index i, Index j, SurfacePatch& patch) const {
  struct Spoke {
    Index di, dj;
    Family family;
    bool outgoing;
  };
  constexpr std::array<Spoke, 6> kSpokes = {{{1, 0, Family::AlongX, true},
                                             {-1, 0, Family::AlongX, false},
                                             {0, 1, Family::AlongY, true},
                                             {0, -1, Family::AlongY, false},
                                             {1, 1, Family::Diagonal, true},
                                             {-1, -1, Family::Diagonal, false}}};
  // Creases end at the vertex: up to six edges, and the vertical one below a vertex of the border.
  SurfacePatch::Corner corner;
  corner.position = field_.vertex(i, j);
  corner.first_spoke = patch.spokes.size();
  corner.id = static_cast<std::uint32_t>(i * field_.heights().cols() + j);
  int creases = 0;
  const bool on_border = i == 0 || j == 0 || i == num_cells_x() || j == num_cells_y();
  if (on_border) ++creases;  // the vertical edge below
  // All is solid below, so downwards is a spoke of every vertex.
  patch.spokes.emplace_back(-Vector3d::UnitZ());
  for (const Spoke& spoke : kSpokes) {
    const Index k = i + spoke.di;
    const Index l = j + spoke.dj;
    if (!has_vertex(k, l)) continue;
    patch.spokes.push_back((field_.vertex(k, l) - corner.position).normalized());
    const SurfacePatch::Edge crease =
        spoke.outgoing ? edge(i, j, spoke.family) : edge(k, l, spoke.family);
    // Flat edges do not bend the surface.
    if (crease.right.cross(crease.left).norm() > SurfacePatch::kFlatAngle) ++creases;
  }
  // With fewer than three creases the vertex lies on a straight ridge or in a plane.
  if (creases < 3) {
    patch.spokes.resize(corner.first_spoke);
    return;
  }
  corner.num_spokes = patch.spokes.size() - corner.first_spoke;
  patch.corners.push_back(corner);
}

SurfacePatch TerrainFeatures::patch_in(const Aabb& box) const {
  SurfacePatch patch;
  // Cells that lie wholly below the box cannot be touched from above.
  const double lowest = box.lower.z();
  const Index first_i = cell_x(box.lower.x()), last_i = cell_x(box.upper.x());
  const Index first_j = cell_y(box.lower.y()), last_j = cell_y(box.upper.y());
  const Eigen::MatrixXd& heights = field_.heights();
  for (Index i = first_i; i <= last_i; ++i) {
    for (Index j = first_j; j <= last_j; ++j) {
      if (heights.block<2, 2>(i, j).maxCoeff() < lowest) continue;
      add_triangle(i, j, false, patch);
      add_triangle(i, j, true, patch);
    }
  }
  // Edges and corners belong to the vertices of these cells, one row more than cells.
  for (Index i = first_i; i <= last_i + 1; ++i) {
    for (Index j = first_j; j <= last_j + 1; ++j) {
      add_edges(i, j, lowest, patch);
      if (heights(i, j) >= lowest) add_corner(i, j, patch);
    }
  }
  return patch;
}

Plane TerrainFeatures::plane_over(double x, double y) const {
  const Index i = cell_x(x), j = cell_y(y);
  const Vector3d corner = field_.vertex(i, j);
  // The diagonal splits the cell: a point with v > u lies in the upper triangle.
  const bool upper = (y - corner.y()) / field_.spacing_y() > (x - corner.x()) / field_.spacing_x();
  const Vector3d normal = triangle_normal(i, j, upper);
  return {normal, normal.dot(corner)};
}

}  // namespace amontons::narrow_phase
