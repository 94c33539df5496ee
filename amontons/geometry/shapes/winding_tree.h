#pragma once

#include "amontons/geometry/shapes/box_tree.h"
#include "amontons/geometry/shapes/mass_properties.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Computes the generalized winding number of a triangle mesh: the sum of the solid angles of its
/// triangles seen from a point, over 4 pi [Jacobson et al. 2013]. About a closed mesh it is the
/// number of times that the surface surrounds the point: 1 inside, 0 outside, in a cavity 0. It
/// needs no normals at edges or corners, and holds for meshes with parts that overlap.
///
/// The solid angles of far triangles are taken together as those of one dipole, the first term of
/// their expansion [Barill et al. 2018]. Where the sum is near a half, so that it would decide, all
/// are taken one by one.
class WindingTree {
 public:
  WindingTree() = default;
  /// Prepares a mesh.
  /// @param tree  over its triangles.
  WindingTree(const TriangleMesh& mesh, const BoxTree& tree);

  /// Returns true if the winding number of the mesh about x [m] is above a half.
  /// @param mesh, tree  those of the constructor.
  bool is_inside(const TriangleMesh& mesh, const BoxTree& tree, const Eigen::Vector3d& x) const;

  /// Returns the winding number about x [m] with dipoles, to about a hundredth.
  double about(const TriangleMesh& mesh, const BoxTree& tree, const Eigen::Vector3d& x) const;

 private:
  /// Holds the moments of the triangles below one node of the tree.
  struct Moments {
    double area = 0.0;                                 ///< [m^2]
    Eigen::Vector3d vector = Eigen::Vector3d::Zero();  ///< sum of area times normal [m^2]
    /// Sum of area times centroid; in the end the centroid of all [m].
    Eigen::Vector3d center = Eigen::Vector3d::Zero();
    double radius = 0.0;  ///< of the ball about the center that holds all triangles [m]
  };

  std::vector<Moments> nodes_;
};

}  // namespace amontons
