#pragma once

#include "amontons/geometry/shapes/bounding_box.h"

#include <Eigen/Core>

#include <span>
#include <vector>

namespace amontons {

/// Bounds the unit normals along which a feature of a surface may be touched by a circular cone
/// about their mean: a node of a tree of normals [Johnson and Cohen 2001].
struct NormalCone {
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();
  double cosine = -2.0, sine = 0.0;  ///< of the half angle; below -1 all directions are inside

  /// Returns the cone of a face, which has one normal.
  static NormalCone of_face(const Eigen::Vector3d& normal) { return {normal, 1.0, 0.0}; }
  /// Returns the cone of the arc between the normals beside an edge.
  static NormalCone of_edge(const Eigen::Vector3d& left, const Eigen::Vector3d& right);
  /// Returns the cone of a corner: around the normals of the facets that meet there, and around all
  /// n with n . spoke <= 0 for all unit vectors along its edges.
  static NormalCone of_corner(const std::vector<Eigen::Vector3d>& normals,
                              std::span<const Eigen::Vector3d> spokes);

  /// Returns the cone with a half angle that is larger by one of this cosine and sine.
  NormalCone grown(double cosine_more, double sine_more) const;
  /// Returns true if the unit vector n is inside.
  bool contains(const Eigen::Vector3d& n) const { return axis.dot(n) >= cosine; }
  /// Returns the box around the unit vectors inside.
  Aabb bounds() const;
};

}  // namespace amontons
