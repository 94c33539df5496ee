#pragma once

#include <Eigen/Core>

#include <vector>

namespace amontons {

struct MergedFacet;  // geometry/shapes/hull_facets.h

/// A bounded convex polyhedron with planar faces of any number of sides, adjacency included.
/// Immutable after construction.
class ConvexPolyhedron {
 public:
  /// A plane polygon.
  struct Face {
    std::vector<int> vertices;  ///< counterclockwise seen from outside
    Eigen::Vector3d normal;     ///< unit, outward
    double offset = 0.0;        ///< normal . x <= offset inside [m]
  };
  /// Between two faces.
  struct Edge {
    int tail = 0, head = 0;   ///< vertices, tail < head
    int left = 0, right = 0;  ///< faces: the left one runs from tail to head, the right one back
  };

  /// The convex hull of points [Barber, Dobkin, Huhdanpaa 1996]; coplanar facets are merged, and
  /// points inside faces or edges are dropped. Vertices keep the order of the points.
  ///
  /// @param flatness  facets whose corners lie within this distance of one plane become one face
  ///     [m], >= 0; use it for coordinates that were rounded, such as those of mesh files. Rounding
  ///     of doubles is always allowed for; more than a thousandth of the hull's thickness never is.
  /// @throws std::invalid_argument naming the fault: fewer than four points, a value that is not
  ///     finite, or points that lie in one plane, on one line or in one point (within rounding).
  /// @throws std::runtime_error if qhull cannot make a closed surface of the points.
  static ConvexPolyhedron hull_of(const std::vector<Eigen::Vector3d>& points,
                                  double flatness = 0.0);

  const std::vector<Eigen::Vector3d>& vertices() const { return vertices_; }  ///< corners [m]
  const std::vector<Face>& faces() const { return faces_; }                   ///< outward
  const std::vector<Edge>& edges() const { return edges_; }                   ///< each once

  /// Index of a vertex farthest along a direction (of any length), within rounding. Ties go to the
  /// smallest index. Hill climbing from `hint` when the polyhedron is large.
  int support(const Eigen::Vector3d& direction, int hint = 0) const;

  double bounding_radius() const { return bounding_radius_; }  ///< about the origin [m]
  const Eigen::Vector3d& middle() const { return middle_; }    ///< mean of the vertices [m]

 private:
  ConvexPolyhedron() = default;

  void set_faces(const std::vector<Eigen::Vector3d>& points, std::vector<MergedFacet> facets);
  void set_edges();
  int scan_for_support(const Eigen::Vector3d& direction) const;

  std::vector<Eigen::Vector3d> vertices_;
  std::vector<Face> faces_;
  std::vector<Edge> edges_;
  std::vector<std::vector<int>> neighbors_;  // vertices joined to each vertex by an edge
  double bounding_radius_ = 0.0;
  Eigen::Vector3d middle_ = Eigen::Vector3d::Zero();
};

}  // namespace amontons
