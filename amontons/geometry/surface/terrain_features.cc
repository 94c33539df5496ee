#include "amontons/geometry/surface/terrain_features.h"

#include "amontons/math/stop.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;
using Index = Eigen::Index;

/// Returns the cell of a coordinate [m] along one axis; outside of the field that of the border.
Index cell_index(double x, double size, double spacing, Index num_cells) {
  const double cells = std::floor((x + 0.5 * size) / spacing);
  return static_cast<Index>(std::clamp(cells, 0.0, static_cast<double>(num_cells - 1)));
}

/// Returns the normal of the triangle of cell (i, j) below (upper = false) or above its diagonal.
Vector3d triangle_normal(const HeightField& field, Index i, Index j, bool upper) {
  const Eigen::MatrixXd& h = field.heights();
  const double rise_x = upper ? h(i + 1, j + 1) - h(i, j + 1) : h(i + 1, j) - h(i, j);
  const double rise_y = upper ? h(i, j + 1) - h(i, j) : h(i + 1, j + 1) - h(i + 1, j);
  // The plane z = z0 + (rise_x / dx) x + (rise_y / dy) y has the gradient's negative as normal.
  return Vector3d(-rise_x / field.spacing_x(), -rise_y / field.spacing_y(), 1.0).normalized();
}

// Cells near one shape at most: each takes 650 bytes and a few microseconds.
constexpr Index kMostCells = 1'000'000;

/// Throws std::domain_error where more than kMostCells are near a shape.
void check_cells(Index cells_x, Index cells_y) {
  if (cells_x * cells_y <= kMostCells) return;
  throw std::domain_error("a shape lies over " + std::to_string(cells_x * cells_y) +
                          " cells of a height field, more than " + std::to_string(kMostCells) +
                          "; take a coarser field or smaller shapes");
}

// Ridges for which memory is reserved.
constexpr Index kMostReserved = 64;

/// Names the three directions of edges, from vertex (i, j) to its successors.
enum class Family { AlongX, AlongY, Diagonal };

/// Holds the normals beside an edge.
struct EdgeSides {
  Vector3d left, right;
};

/// Collects the features of a range of cells, whose triangles share their normals.
class PatchBuilder {
 public:
  PatchBuilder(const HeightField& field, Index first_i, Index last_i, Index first_j, Index last_j)
      : field_(field),
        num_x_(field.heights().rows() - 1),
        num_y_(field.heights().cols() - 1),
        first_i_(std::max<Index>(first_i - 1, 0)),
        first_j_(std::max<Index>(first_j - 1, 0)) {
    // The cells around them lie beside the edges of their vertices.
    const Index end_i = std::min(last_i + 2, num_x_);
    end_j_ = std::min(last_j + 2, num_y_);
    const Index num = (end_i - first_i_) * (end_j_ - first_j_);
    normals_.reserve(static_cast<std::size_t>(2 * num));
    for (Index i = first_i_; i < end_i; ++i) {
      check_stop();
      for (Index j = first_j_; j < end_j_; ++j) {
        for (const bool upper : {false, true}) {
          normals_.push_back(triangle_normal(field, i, j, upper));
        }
      }
    }
    // Each cell has two triangles, each vertex at most three edges, few of which are ridges.
    const Index cells_x = last_i - first_i + 1, cells_y = last_j - first_j + 1;
    const auto num_triangles = static_cast<std::size_t>(2 * cells_x * cells_y);
    patch_.triangles.reserve(num_triangles);
    patch_.planes.reserve(num_triangles);
    patch_.facet_of_plane.reserve(num_triangles);
    patch_.edges.reserve(
        static_cast<std::size_t>(std::min(3 * (cells_x + 1) * (cells_y + 1), kMostReserved)));
  }

  /// Adds a triangle; successive triangles of one plane share it.
  void add_triangle(Index i, Index j, bool upper);
  /// Adds the ridges that leave a vertex and reach above `lowest` [m].
  void add_edges(Index i, Index j, double lowest);
  /// Adds a vertex in which three creases meet.
  void add_corner(Index i, Index j);

  SurfacePatch take() { return std::move(patch_); }

 private:
  bool has_vertex(Index i, Index j) const { return i >= 0 && j >= 0 && i <= num_x_ && j <= num_y_; }
  bool has_cell(Index i, Index j) const { return i >= 0 && j >= 0 && i < num_x_ && j < num_y_; }
  const Vector3d& normal(Index i, Index j, bool upper) const {
    const Index cell = (i - first_i_) * (end_j_ - first_j_) + j - first_j_;
    return normals_[static_cast<std::size_t>(2 * cell + (upper ? 1 : 0))];
  }
  /// Returns the normals beside the edge that leaves vertex (i, j) in the direction of the family.
  EdgeSides sides(Index i, Index j, Family family) const;

  const HeightField& field_;
  Index num_x_, num_y_;  // cells of the field
  Index first_i_, first_j_, end_j_ = 0;
  std::vector<Vector3d> normals_;
  SurfacePatch patch_;
};

EdgeSides PatchBuilder::sides(Index i, Index j, Family family) const {
  // Beyond the border the outward horizontal replaces the normal of the missing triangle.
  switch (family) {
    case Family::AlongX:
      return {has_cell(i, j) ? normal(i, j, false) : Vector3d::UnitY(),
              has_cell(i, j - 1) ? normal(i, j - 1, true) : -Vector3d::UnitY()};
    case Family::AlongY:
      return {has_cell(i - 1, j) ? normal(i - 1, j, false) : -Vector3d::UnitX(),
              has_cell(i, j) ? normal(i, j, true) : Vector3d::UnitX()};
    case Family::Diagonal:
      break;
  }
  return {normal(i, j, true), normal(i, j, false)};
}

void PatchBuilder::add_triangle(Index i, Index j, bool upper) {
  SurfacePatch::Triangle triangle;
  triangle.corner = {field_.vertex(i, j), field_.vertex(i + 1, upper ? j + 1 : j),
                     field_.vertex(upper ? i : i + 1, j + 1)};
  const Vector3d& own = normal(i, j, upper);
  const double offset = own.dot(triangle.corner[0]);
  const bool same = !patch_.planes.empty() && patch_.planes.back().normal == own &&
                    patch_.planes.back().offset == offset;
  if (!same) {
    patch_.planes.push_back({own, offset});
    patch_.facet_of_plane.push_back(static_cast<int>(2 * (i * num_y_ + j) + (upper ? 1 : 0)));
  }
  triangle.plane = static_cast<int>(patch_.planes.size()) - 1;
  patch_.triangles.push_back(triangle);
}

void PatchBuilder::add_edges(Index i, Index j, double lowest) {
  for (const Family family : {Family::AlongX, Family::AlongY, Family::Diagonal}) {
    const Index k = i + (family == Family::AlongY ? 0 : 1),
                l = j + (family == Family::AlongX ? 0 : 1);
    if (!has_vertex(k, l)) continue;
    const EdgeSides beside = sides(i, j, family);
    // A flat edge is no ridge.
    if (beside.left == beside.right) continue;
    SurfacePatch::Edge found{field_.vertex(i, j), field_.vertex(k, l), beside.left, beside.right};
    // Only ridges that reach the box can touch from above.
    if (std::max(found.tail.z(), found.head.z()) < lowest || !found.is_ridge()) continue;
    const auto vertex = static_cast<std::uint32_t>(i * field_.heights().cols() + j);
    found.id = vertex * 3u + static_cast<std::uint32_t>(family);
    patch_.edges.push_back(found);
  }
}

void PatchBuilder::add_corner(Index i, Index j) {
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
  int creases = i == 0 || j == 0 || i == num_x_ || j == num_y_ ? 1 : 0;
  for (const Spoke& spoke : kSpokes) {
    const Index k = i + spoke.di, l = j + spoke.dj;
    if (!has_vertex(k, l)) continue;
    const EdgeSides beside = spoke.outgoing ? sides(i, j, spoke.family) : sides(k, l, spoke.family);
    // Flat edges do not bend the surface.
    if (beside.right.cross(beside.left).norm() > SurfacePatch::kFlatAngle) ++creases;
  }
  // With fewer than three creases the vertex lies on a straight ridge or in a plane.
  if (creases < 3) return;
  SurfacePatch::Corner corner;
  corner.position = field_.vertex(i, j);
  corner.first_spoke = patch_.spokes.size();
  corner.id = static_cast<std::uint32_t>(i * field_.heights().cols() + j);
  // All is solid below, so downwards is a spoke of every vertex.
  patch_.spokes.emplace_back(-Vector3d::UnitZ());
  for (const Spoke& spoke : kSpokes) {
    const Index k = i + spoke.di, l = j + spoke.dj;
    if (!has_vertex(k, l)) continue;
    patch_.spokes.push_back((field_.vertex(k, l) - corner.position).normalized());
  }
  corner.num_spokes = patch_.spokes.size() - corner.first_spoke;
  patch_.corners.push_back(corner);
}

}  // namespace

Index TerrainFeatures::cell_x(double x) const {
  return cell_index(x, field_.size_x(), field_.spacing_x(), field_.heights().rows() - 1);
}
Index TerrainFeatures::cell_y(double y) const {
  return cell_index(y, field_.size_y(), field_.spacing_y(), field_.heights().cols() - 1);
}

SurfacePatch TerrainFeatures::patch_in(const Aabb& box) const {
  // Cells that lie wholly below the box cannot be touched from above.
  const double lowest = box.lower.z();
  const Index first_i = cell_x(box.lower.x()), last_i = cell_x(box.upper.x());
  const Index first_j = cell_y(box.lower.y()), last_j = cell_y(box.upper.y());
  const Eigen::MatrixXd& heights = field_.heights();
  check_cells(last_i - first_i + 1, last_j - first_j + 1);
  PatchBuilder builder(field_, first_i, last_i, first_j, last_j);
  for (Index i = first_i; i <= last_i; ++i) {
    check_stop();
    for (Index j = first_j; j <= last_j; ++j) {
      if (heights.block<2, 2>(i, j).maxCoeff() < lowest) continue;
      builder.add_triangle(i, j, false);
      builder.add_triangle(i, j, true);
    }
  }
  // Edges and corners belong to the vertices of these cells, one row more than cells.
  for (Index i = first_i; i <= last_i + 1; ++i) {
    check_stop();
    for (Index j = first_j; j <= last_j + 1; ++j) {
      builder.add_edges(i, j, lowest);
      if (heights(i, j) >= lowest) builder.add_corner(i, j);
    }
  }
  return builder.take();
}

Plane TerrainFeatures::plane_over(double x, double y) const {
  const Index i = cell_x(x), j = cell_y(y);
  const Vector3d corner = field_.vertex(i, j);
  // The diagonal splits the cell: a point with v > u lies in the upper triangle.
  const bool upper = (y - corner.y()) / field_.spacing_y() > (x - corner.x()) / field_.spacing_x();
  const Vector3d normal = triangle_normal(field_, i, j, upper);
  return {normal, normal.dot(corner)};
}

}  // namespace amontons::narrow_phase
