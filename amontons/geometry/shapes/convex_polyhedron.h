#pragma once

#include "amontons/geometry/shapes/box_tree.h"

#include <Eigen/Core>

#include <span>
#include <vector>

namespace amontons {

struct MergedFacet;  // geometry/shapes/hull_facets.h

/// Holds a bounded convex polyhedron with planar faces of any number of sides and their adjacency.
/// Immutable after construction.
class ConvexPolyhedron {
 public:
  /// Describes a plane polygon.
  struct Face {
    std::vector<int> vertices;  ///< counterclockwise seen from outside
    Eigen::Vector3d normal;     ///< unit, outward
    double offset = 0.0;        ///< normal . x <= offset inside [m]
  };
  /// Describes the line between two faces.
  struct Edge {
    int tail = 0, head = 0;   ///< vertices, tail < head
    int left = 0, right = 0;  ///< faces: the left one runs from tail to head, the right one back
  };

  /// Returns the convex hull of points [Barber, Dobkin, Huhdanpaa 1996]. Coplanar facets are
  /// merged, and points inside faces or edges are dropped. Vertices keep the order of the points.
  ///
  /// @param flatness  facets whose corners lie within this distance of one plane become one face
  ///     [m], >= 0. Use it for coordinates that were rounded, such as those of mesh files. Rounding
  ///     of doubles is always allowed for. Flatness never exceeds a thousandth of the hull's
  ///     thickness.
  /// @throws std::invalid_argument for fewer than four points, or a value that is not finite. The
  ///     same holds for points in one plane, on one line or in one point (within rounding).
  /// @throws std::runtime_error if qhull cannot make a closed surface of the points.
  static ConvexPolyhedron hull_of(const std::vector<Eigen::Vector3d>& points,
                                  double flatness = 0.0);

  /// Returns the hull of at most `max_vertices` vertices of this one, which lies inside it. It
  /// grows from four that are far apart, each time by the vertex that lies farthest outside. From
  /// the 32nd on several are added at a time. A polyhedron that has no more is returned as it is.
  /// @param flatness  as of hull_of [m].
  /// @throws std::invalid_argument if `max_vertices` is below 4.
  ConvexPolyhedron simplified(int max_vertices, double flatness = 0.0) const;

  const std::vector<Eigen::Vector3d>& vertices() const { return vertices_; }  ///< corners [m]
  const std::vector<Face>& faces() const { return faces_; }                   ///< outward
  const std::vector<Edge>& edges() const { return edges_; }                   ///< each once

  /// Returns the index of a vertex farthest along a direction (of any length), within rounding.
  /// Ties go to the smallest index. Large polyhedra are searched by hill climbing, from the vertex
  /// farthest along a direction nearby.
  int support(const Eigen::Vector3d& direction) const;
  /// Returns a height along a direction that no vertex exceeds, and one reaches but for the
  /// rounding of faces. Unlike support() it takes no longer where vertices tie.
  double height_bound(const Eigen::Vector3d& direction) const;
  /// Returns the edges at a vertex, in increasing order.
  std::span<const int> edges_at(int vertex) const {
    const auto v = static_cast<std::size_t>(vertex);
    return {edges_at_.begin() + first_at_[v], edges_at_.begin() + first_at_[v + 1]};
  }
  /// Returns the face whose normal is nearest to a unit vector; the first of several.
  int face_towards(const Eigen::Vector3d& direction) const;
  /// Finds the faces with normals within `window` of a unit vector in each coordinate, in order.
  void find_faces_towards(const Eigen::Vector3d& direction, double window,
                          std::vector<int>& found) const;
  /// Finds the edges that may be touched along such a vector, in increasing order.
  void find_edges_towards(const Eigen::Vector3d& direction, double window,
                          std::vector<int>& found) const;

  /// Returns the distance of a point from the polyhedron [m], 0 inside.
  double distance_to(const Eigen::Vector3d& point) const;

  double bounding_radius() const { return bounding_radius_; }  ///< about the origin [m]
  const Eigen::Vector3d& middle() const { return middle_; }    ///< mean of the vertices [m]

 private:
  ConvexPolyhedron() = default;

  /// Stores vertices and faces in canonical order, so that the same points give the same hull.
  void set_faces(const std::vector<Eigen::Vector3d>& points, std::vector<MergedFacet> facets);
  /// Finds the edges. @throws std::runtime_error if the faces do not form a ball.
  void set_edges();
  /// Finds the edges and neighbors of each vertex.
  void set_neighbors();
  /// Prepares the searches by direction.
  void set_directions();
  int scan_for_support(const Eigen::Vector3d& direction) const;
  /// Returns a vertex that no neighbor exceeds along a direction.
  /// @param tied  true: a neighbor reaches it but for rounding, so that another vertex may exceed
  /// it by the unevenness of faces.
  int climb(const Eigen::Vector3d& direction, bool& tied) const;
  /// Returns what scan_for_support() does, from a vertex that others reach within rounding.
  int first_of_tie(const Eigen::Vector3d& direction, int top) const;

  std::vector<Eigen::Vector3d> vertices_;
  std::vector<Face> faces_;
  std::vector<Edge> edges_;
  // Edges at each vertex, and the vertices to which they lead: those of vertex v begin at
  // first_at_[v].
  std::vector<int> first_at_, edges_at_, neighbors_;
  std::vector<int> starts_;  // vertices farthest along the directions from which a search starts
  BoxTree normals_, arcs_;   // normals of the faces, and those between the faces of the edges
  double bounding_radius_ = 0.0;
  double unevenness_ = 0.0;  // of the faces: largest distance of a corner from the plane [m]
  Eigen::Vector3d middle_ = Eigen::Vector3d::Zero();
};

/// Returns the largest distance [m] of a point of the outer polyhedron from the inner one. A vertex
/// has it, since the distance from a convex set is a convex function.
double largest_distance(const ConvexPolyhedron& outer, const ConvexPolyhedron& inner);

}  // namespace amontons
