#pragma once

#include "amontons/geometry/shapes/box_tree.h"
#include "amontons/geometry/shapes/mass_properties.h"
#include "amontons/geometry/shapes/triangle_distance.h"

#include <Eigen/Core>

#include <array>
#include <memory>
#include <vector>

namespace amontons {

/// A triangle mesh prepared for contact, concave or convex. Immutable after construction.
///
/// Neighboring triangles of one plane form a facet, which touches other shapes as one face: nothing
/// catches on the edges inside it. Where two facets meet lies a crease. A closed mesh is a solid.
/// An open one is a sheet that stops what comes from its front: the side from which its triangles
/// run counterclockwise.
class CollisionMesh {
 public:
  /// Where two facets meet, or one ends. Seen from outside, the left facet is on the left of the
  /// way from tail to head.
  struct Crease {
    int tail = 0, head = 0;  ///< vertices
    int left = 0;            ///< facet
    int right = -1;          ///< facet, -1 at the border of a sheet
    int triangle = 0;        ///< of the left facet, at the crease
  };
  struct Facet {
    Eigen::Vector3d normal;  ///< unit, outward
    double offset = 0.0;     ///< normal . x of its plane [m]
  };
  /// What the triangle has beyond its side k, from corner k to the next.
  struct Sides {
    std::array<int, 3> facet{-1, -1, -1};  ///< another facet beyond the side, or -1
  };

  /// @param mesh      indices within bounds; triangles of no area are allowed beside others.
  /// @param flatness  triangles whose corners lie within this distance of one plane are one facet
  ///     [m], >= 0; rounding of doubles is always allowed for.
  /// @throws std::invalid_argument without triangles, or for indices out of bounds, coordinates
  ///     that are not finite, or triangles that have no area at all.
  explicit CollisionMesh(TriangleMesh mesh, double flatness = 0.0);

  const std::vector<Eigen::Vector3d>& vertices() const { return mesh_.vertices; }
  const std::vector<std::array<int, 3>>& triangles() const { return mesh_.triangles; }
  const TriangleMesh& mesh() const { return mesh_; }
  const std::vector<Facet>& facets() const { return facets_; }
  const std::vector<Crease>& creases() const { return creases_; }
  const Eigen::Vector3d& vertex(int v) const { return mesh_.vertices[static_cast<std::size_t>(v)]; }
  int facet_of(int triangle) const { return facet_of_[static_cast<std::size_t>(triangle)]; }
  const Sides& sides(int triangle) const { return sides_[static_cast<std::size_t>(triangle)]; }
  Eigen::Vector3d corner(int triangle, std::size_t k) const;
  Triangle triangle(int t) const { return {corner(t, 0), corner(t, 1), corner(t, 2)}; }

  /// Creases and corners by the one triangle that owns each: which of them may be near follows
  /// from the triangles that are. A corner is a vertex that a crease cannot stand for.
  const std::vector<int>& creases_of(int triangle) const;
  const std::vector<int>& corners_of(int triangle) const;
  /// Unit vectors along the creases that leave a vertex and, at a border, into the sheet: nothing
  /// touches the vertex alone along a normal that has a positive part along one of them.
  std::vector<Eigen::Vector3d> spokes_of(int vertex) const;

  bool is_closed() const { return is_closed_; }
  /// Of the triangles.
  const BoxTree& tree() const { return tree_; }
  /// The convex hull; null for a flat sheet.
  const std::shared_ptr<const ConvexPolyhedron>& hull() const { return hull_; }
  double bounding_radius() const { return bounding_radius_; }  ///< about the origin [m]

 private:
  using Neighbors = std::vector<std::vector<int>>;  // triangles across the three sides, or -1

  void check() const;
  Neighbors find_neighbors();
  void set_facets(const Neighbors& neighbors, double flatness);
  void set_creases(const Neighbors& neighbors);
  void set_corners();

  TriangleMesh mesh_;
  std::vector<int> facet_of_;
  std::vector<Facet> facets_;
  std::vector<Sides> sides_;
  std::vector<Crease> creases_;
  std::vector<std::vector<int>> creases_of_, corners_of_, creases_at_;
  bool is_closed_ = false;
  double bounding_radius_ = 0.0;
  std::shared_ptr<const ConvexPolyhedron> hull_;
  BoxTree tree_;
};

}  // namespace amontons
