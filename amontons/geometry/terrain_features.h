#pragma once

#include "amontons/geometry/height_field.h"

#include <Eigen/Core>

#include <array>

namespace amontons::narrow_phase {

/// The triangles, edges and vertices of a height field, in its own frame.
class TerrainFeatures {
 public:
  using Index = Eigen::Index;

  /// Creases that turn by less than this angle [rad] are flat: nothing may catch on them.
  static constexpr double kFlatAngle = 1e-6;

  struct Triangle {
    std::array<Eigen::Vector3d, 3> corner;  ///< counterclockwise seen from above
    Eigen::Vector3d normal;                 ///< unit, upward
    double offset = 0.0;                    ///< normal . x of its plane [m]

    /// True if the foot of a point on the plane is within the triangle, up to `slack` [m].
    bool contains(const Eigen::Vector3d& foot, double slack) const;
  };

  /// An edge and the normals of the two triangles beside it; at the border the outward horizontal
  /// stands for the missing one.
  struct Edge {
    Eigen::Vector3d tail, head;
    Eigen::Vector3d left, right;  ///< normals; over a ridge they turn from left to right

    bool is_ridge() const;
    /// True if n is normal to the edge and between the normals of its sides: only then can the edge
    /// itself be touched along n.
    bool may_touch(const Eigen::Vector3d& n) const;
  };
  enum class Family { AlongX, AlongY, Diagonal };

  explicit TerrainFeatures(const HeightField& field) : field_(field) {}

  Index num_cells_x() const { return field_.heights().rows() - 1; }
  Index num_cells_y() const { return field_.heights().cols() - 1; }
  bool has_vertex(Index i, Index j) const;
  bool has_edge(Index i, Index j, Family family) const;

  /// The triangle of cell (i, j) below (upper = false) or above its diagonal.
  Triangle triangle(Index i, Index j, bool upper) const;
  /// The edge that leaves vertex (i, j) in the direction of the family.
  Edge edge(Index i, Index j, Family family) const;
  Eigen::Vector3d vertex(Index i, Index j) const { return field_.vertex(i, j); }

  /// True if at least three creases meet in the vertex and n is in its normal cone.
  bool vertex_may_touch(Index i, Index j, const Eigen::Vector3d& n) const;

 private:
  Eigen::Vector3d triangle_normal(Index i, Index j, bool upper) const;
  bool has_cell(Index i, Index j) const;

  const HeightField& field_;
};

}  // namespace amontons::narrow_phase
