#pragma once

#include "amontons/geometry/shapes/bounding_box.h"
#include "amontons/geometry/shapes/height_field.h"
#include "amontons/geometry/surface/surface_patch.h"

#include <Eigen/Core>

namespace amontons::narrow_phase {

/// Finds the triangles, edges and vertices of a height field, in its own frame.
class TerrainFeatures {
 public:
  explicit TerrainFeatures(const HeightField& field) : field_(field) {}

  const HeightField& field() const { return field_; }

  /// Returns all that lies over, in or under a box, but not wholly below it. At the border the
  /// outward horizontal serves as the missing normal of an edge.
  SurfacePatch patch_in(const Aabb& box) const;

  /// Returns the plane of the triangle over or under a point of the field's rectangle [m].
  Plane plane_over(double x, double y) const;

 private:
  using Index = Eigen::Index;
  /// Names the three directions of edges, from vertex (i, j) to its successors.
  enum class Family { AlongX, AlongY, Diagonal };

  Index num_cells_x() const { return field_.heights().rows() - 1; }
  Index num_cells_y() const { return field_.heights().cols() - 1; }
  Index cell_x(double x) const;
  Index cell_y(double y) const;
  bool has_vertex(Index i, Index j) const;
  bool has_edge(Index i, Index j, Family family) const;
  bool has_cell(Index i, Index j) const;

  /// Returns the normal of the triangle of cell (i, j) below (upper = false) or above its diagonal.
  Eigen::Vector3d triangle_normal(Index i, Index j, bool upper) const;
  /// Returns the edge that leaves vertex (i, j) in the direction of the family.
  SurfacePatch::Edge edge(Index i, Index j, Family family) const;

  /// Adds a triangle; successive triangles of one plane share it.
  void add_triangle(Index i, Index j, bool upper, SurfacePatch& patch) const;
  /// Adds the ridges that leave a vertex and reach above `lowest` [m].
  void add_edges(Index i, Index j, double lowest, SurfacePatch& patch) const;
  /// Adds a vertex in which three creases meet.
  void add_corner(Index i, Index j, SurfacePatch& patch) const;

  const HeightField& field_;
};

}  // namespace amontons::narrow_phase
