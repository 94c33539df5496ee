#pragma once

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// A bounded convex polyhedron with planar faces of any number of sides, adjacency included.
/// Immutable after construction.
class ConvexPolyhedron {
 public:
  struct Face {
    std::vector<int> vertices;               ///< counterclockwise seen from outside
    Eigen::Vector3d normal;                  ///< unit, outward
    double offset = 0.0;                     ///< normal . x <= offset inside [m]
  };
  struct Edge {
    int tail = 0, head = 0;                  ///< vertices
    int left = 0, right = 0;                 ///< faces
  };

  /// The convex hull of points (through qhull); coplanar facets are merged.
  /// @throws std::invalid_argument naming the fault: fewer than four points, a value that is not
  /// finite, or points that lie in one plane, on one line or in one point.
  static ConvexPolyhedron hull_of(const std::vector<Eigen::Vector3d>& points);

  const std::vector<Eigen::Vector3d>& vertices() const { return vertices_; }
  const std::vector<Face>& faces() const { return faces_; }
  const std::vector<Edge>& edges() const { return edges_; }

  /// Index of a vertex farthest along a direction. Ties go to the smallest index. Hill climbing
  /// from `hint` when the polyhedron is large.
  int support(const Eigen::Vector3d& direction, int hint = 0) const;

  double bounding_radius() const { return bounding_radius_; }  ///< about the origin [m]

 private:
  ConvexPolyhedron() = default;

  std::vector<Eigen::Vector3d> vertices_;
  std::vector<Face> faces_;
  std::vector<Edge> edges_;
  std::vector<std::vector<int>> neighbors_;  // vertices joined to each vertex by an edge
  double bounding_radius_ = 0.0;
};

}  // namespace amontons
