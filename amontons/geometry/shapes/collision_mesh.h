#pragma once

#include "amontons/geometry/shapes/feature_tree.h"
#include "amontons/geometry/shapes/mass_properties.h"
#include "amontons/geometry/shapes/normal_cone.h"
#include "amontons/geometry/shapes/triangle_distance.h"
#include "amontons/geometry/shapes/winding_tree.h"

#include <Eigen/Core>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace amontons {

/// Holds a triangle mesh prepared for contact, concave or convex. Immutable after construction.
///
/// Neighboring triangles of one plane form a facet, which touches other shapes as one face: nothing
/// catches on the edges inside it. Two facets meet in a crease. A mesh that is closed, or has small
/// holes alone, is a solid. Any other is a sheet that stops shapes that come from its front: the
/// side from which its triangles run counterclockwise.
class CollisionMesh {
 public:
  /// Holds the line where two facets meet, or one ends. Seen from outside, the left facet is on the
  /// left of the way from tail to head.
  struct Crease {
    int tail = 0, head = 0;  ///< vertices
    int left = 0;            ///< facet
    int right = -1;          ///< facet, -1 at the border of a sheet
    int triangle = 0;        ///< a triangle of the left facet, at the crease
  };
  /// Holds the plane of a facet.
  struct Facet {
    Eigen::Vector3d normal;  ///< unit, outward
    double offset = 0.0;     ///< normal . x of its plane [m]
  };
  /// Names the facets beyond the three sides of a triangle; side k runs from corner k to the next.
  struct Sides {
    std::array<int, 3> facet{-1, -1, -1};  ///< another facet beyond the side, or -1
  };

  /// Finds the facets, creases and corners of a mesh.
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
  /// Returns the triangles beyond the three sides of a triangle, or -1 at a border.
  const std::array<int, 3>& neighbors(int triangle) const {
    return neighbors_[static_cast<std::size_t>(triangle)];
  }
  Eigen::Vector3d corner(int triangle, std::size_t k) const;
  Triangle triangle(int t) const { return {corner(t, 0), corner(t, 1), corner(t, 2)}; }

  /// Returns the creases or corners that a triangle owns; each has one owner. A search for near
  /// triangles so finds all near creases and corners, each once. A corner is a vertex that is not
  /// an inner point of one straight crease.
  const std::vector<int>& creases_of(int triangle) const;
  const std::vector<int>& corners_of(int triangle) const;
  /// Returns the normals on the left and on the right of a crease. At a border the right one points
  /// outwards in the sheet's plane.
  std::pair<Eigen::Vector3d, Eigen::Vector3d> normals_beside(const Crease& crease) const;
  /// Returns unit vectors along the creases that leave a vertex, at a border into the sheet, and
  /// across facets with a reflex angle there. A shape touches the vertex alone only along normals
  /// without a positive part along any of them.
  std::span<const Eigen::Vector3d> crease_directions(int vertex) const {
    const std::size_t v = static_cast<std::size_t>(vertex);
    return std::span(crease_directions_)
        .subspan(first_crease_direction_[v],
                 first_crease_direction_[v + 1] - first_crease_direction_[v]);
  }
  /// Returns a cone around those normals, and around the normals of the facets at a corner.
  const NormalCone& normals_at(int vertex) const {
    return normals_at_[static_cast<std::size_t>(vertex)];
  }

  /// Returns the vertices of each connected part, in the order of their first triangles.
  const std::vector<std::vector<int>>& parts() const { return parts_; }

  bool is_closed() const { return is_closed_; }
  /// Returns true if the mesh has an inside: it is closed, or its holes, closed by fans about their
  /// middles, have at most a tenth of its area.
  bool encloses() const { return encloses_; }
  /// Returns true if x [m] is inside a mesh that encloses: its winding number is above a half.
  bool contains(const Eigen::Vector3d& x) const;
  /// Returns the same for x [m] off the surface, and nothing on it, where the winding number is a
  /// fraction.
  std::optional<bool> clearly_contains(const Eigen::Vector3d& x) const;
  /// Returns the tree over the triangles.
  const BoxTree& tree() const { return features_.boxes(); }
  /// Returns the same tree with the normals of the triangles and of the creases and corners that
  /// they own.
  const FeatureTree& features() const { return features_; }
  /// Returns the convex hull; null for a flat sheet.
  const std::shared_ptr<const ConvexPolyhedron>& hull() const { return hull_; }
  /// Returns the hull; for a flat sheet that of a plate about it, a billionth of its size thick.
  const std::shared_ptr<const ConvexPolyhedron>& plate() const { return plate_; }
  double bounding_radius() const { return bounding_radius_; }  ///< about the origin [m]

 private:
  /// Throws std::invalid_argument unless the mesh has area and its indices and coordinates are
  /// valid.
  void check() const;
  /// Finds the connected parts.
  void set_parts();
  /// Finds the triangles across each side.
  void set_neighbors();
  /// Joins coplanar neighbors to facets and fits a plane to each.
  void set_facets(double flatness);
  /// Collects the sides between two facets, or at a border.
  void set_creases();
  /// Finds the vertices at which creases end or bend, and a triangle that owns each.
  void set_corners();
  /// Finds the facets that have a reflex angle at a corner.
  /// @returns unit vectors along the triangles of such facets, by vertex.
  std::map<int, std::vector<Eigen::Vector3d>> find_reflex_directions() const;
  /// Collects the directions of creases and of facets with a reflex angle at each vertex.
  void set_crease_directions();
  /// Returns a cone around the normals at a corner.
  NormalCone cone_at(int vertex) const;
  /// Builds the tree over the triangles.
  void set_features();
  /// Makes the hull and the plate.
  void set_hull(double flatness);

  TriangleMesh mesh_;
  std::vector<std::array<int, 3>> neighbors_;  // per triangle
  std::vector<int> facet_of_;                  // per triangle
  std::vector<Facet> facets_;
  std::vector<Sides> sides_;  // per triangle
  std::vector<Crease> creases_;
  // The first two are per triangle, the third per vertex.
  std::vector<std::vector<int>> creases_of_, corners_of_, creases_at_;
  std::vector<Eigen::Vector3d> crease_directions_;   // by vertices
  std::vector<std::size_t> first_crease_direction_;  // of each vertex; at the end their number
  std::vector<NormalCone> normals_at_;               // per vertex; of corners alone
  std::vector<std::vector<int>> parts_;
  bool is_closed_ = false, encloses_ = false;
  double bounding_radius_ = 0.0;
  std::shared_ptr<const ConvexPolyhedron> hull_, plate_;
  FeatureTree features_;
  WindingTree winding_;
};

}  // namespace amontons
