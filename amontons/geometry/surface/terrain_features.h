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
  Eigen::Index cell_x(double x) const;
  Eigen::Index cell_y(double y) const;

  const HeightField& field_;
};

}  // namespace amontons::narrow_phase
