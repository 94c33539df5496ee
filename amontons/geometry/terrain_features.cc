#include "amontons/geometry/terrain_features.h"

#include <Eigen/Geometry>

namespace amontons::narrow_phase {

using Eigen::Vector3d;

bool TerrainFeatures::Triangle::contains(const Vector3d& foot, double slack) const {
  for (std::size_t k = 0; k < 3; ++k) {
    const Vector3d along = corner[(k + 1) % 3] - corner[k];
    if (normal.dot(along.cross(foot - corner[k])) < -slack * along.norm()) return false;
  }
  return true;
}

bool TerrainFeatures::Edge::is_ridge() const {
  const Vector3d u = (head - tail).normalized();
  return u.dot(left.cross(right)) > kFlatAngle;
}

bool TerrainFeatures::Edge::may_touch(const Vector3d& n) const {
  const Vector3d u = (head - tail).normalized();
  return std::abs(u.dot(n)) <= kFlatAngle && u.dot(left.cross(n)) >= -kFlatAngle &&
         u.dot(n.cross(right)) >= -kFlatAngle;
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
  return Vector3d(-rise_x / field_.spacing_x(), -rise_y / field_.spacing_y(), 1.0).normalized();
}

TerrainFeatures::Triangle TerrainFeatures::triangle(Index i, Index j, bool upper) const {
  Triangle result;
  result.corner = {vertex(i, j), upper ? vertex(i + 1, j + 1) : vertex(i + 1, j),
                   upper ? vertex(i, j + 1) : vertex(i + 1, j + 1)};
  result.normal = triangle_normal(i, j, upper);
  result.offset = result.normal.dot(result.corner[0]);
  return result;
}

TerrainFeatures::Edge TerrainFeatures::edge(Index i, Index j, Family family) const {
  Edge result;
  result.tail = vertex(i, j);
  switch (family) {
    case Family::AlongX:
      result.head = vertex(i + 1, j);
      result.left = has_cell(i, j) ? triangle_normal(i, j, false) : Vector3d::UnitY();
      result.right = has_cell(i, j - 1) ? triangle_normal(i, j - 1, true) : -Vector3d::UnitY();
      break;
    case Family::AlongY:
      result.head = vertex(i, j + 1);
      result.left = has_cell(i - 1, j) ? triangle_normal(i - 1, j, false) : -Vector3d::UnitX();
      result.right = has_cell(i, j) ? triangle_normal(i, j, true) : Vector3d::UnitX();
      break;
    case Family::Diagonal:
      result.head = vertex(i + 1, j + 1);
      result.left = triangle_normal(i, j, true);
      result.right = triangle_normal(i, j, false);
      break;
  }
  return result;
}

bool TerrainFeatures::vertex_may_touch(Index i, Index j, const Vector3d& n) const {
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
  int creases = 0;
  const Vector3d here = vertex(i, j);
  const bool on_border = i == 0 || j == 0 || i == num_cells_x() || j == num_cells_y();
  if (on_border) ++creases;  // the vertical edge below
  for (const Spoke& spoke : kSpokes) {
    const Index k = i + spoke.di;
    const Index l = j + spoke.dj;
    if (!has_vertex(k, l)) continue;
    const Vector3d along = vertex(k, l) - here;
    if (n.dot(along) > kFlatAngle * along.norm()) return false;
    const Edge crease = spoke.outgoing ? edge(i, j, spoke.family) : edge(k, l, spoke.family);
    if (crease.right.cross(crease.left).norm() > kFlatAngle) ++creases;
  }
  return creases >= 3 && n.z() >= -kFlatAngle;
}

}  // namespace amontons::narrow_phase
