#pragma once

#include "amontons/geometry/convex/half_space_contact.h"
#include "amontons/geometry/shapes/normal_cone.h"

#include <Eigen/Core>

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace amontons::narrow_phase {

/// Returns true if a point x, `depth` > 0 [m] behind a plane, came through the surface and that
/// plane is a way out. An empty test means always.
using EntryTest = std::function<bool(int plane, const Eigen::Vector3d& x, double depth)>;

/// Holds the part of a triangulated surface near some shape, in the surface's frame. Terrains and
/// meshes both provide it. Faces, edges and corners each touch along the normals of their own cone
/// of the surface's Gauss map.
struct SurfacePatch {
  // Creases that turn by less than this angle [rad] are flat: nothing may catch on them.
  static constexpr double kFlatAngle = 1e-6;

  /// Holds a triangle and its neighborhood.
  struct Triangle {
    std::array<Eigen::Vector3d, 3> corner;  ///< [m], counterclockwise seen from outside
    int plane = 0;                          ///< index of its plane; triangles are in that order
    /// Planes into which the surface turns up beyond side k, from corner k to the next; -1 for
    /// none.
    std::array<int, 3> valley{-1, -1, -1};
    /// True where the surface turns down beyond side k, or ends there.
    std::array<bool, 3> ridge{false, false, false};
  };
  /// Holds a crease and the normals beside it.
  struct Edge {
    Eigen::Vector3d tail, head;
    Eigen::Vector3d left, right;  ///< over a ridge they turn from left to right
    std::uint32_t id = 0;

    /// Returns true if the surface bends down at the edge: convex.
    bool is_ridge() const;
    /// Returns true if the surface bends up at the edge: concave.
    bool is_valley() const;
    /// Returns true if n is normal to the edge and between the normals of its sides, up to angles
    /// of this sine. Only then can the edge itself be touched along n.
    bool may_touch(const Eigen::Vector3d& n, double sine = kFlatAngle) const;
    /// Returns the edge as a shape without thickness.
    ConvexCore core() const;
  };
  /// Holds a vertex where the surface bends in two directions.
  struct Corner {
    Eigen::Vector3d position;
    std::size_t first_spoke = 0, num_spokes = 0;
    std::uint32_t id = 0;
    NormalCone cone;  ///< around the normals of its facets and those along which it may be touched
  };

  std::vector<Plane> planes;
  std::vector<int> facet_of_plane;  ///< the surface's own number of each plane
  std::vector<Triangle> triangles;  ///< in the order of their planes
  std::vector<Edge> edges;          ///< ridges only
  std::vector<Corner> corners;
  std::vector<Eigen::Vector3d> spokes;  ///< unit vectors

  /// Returns how far the foot of x on the triangle's plane lies beyond side k [m]; negative within.
  double beyond_side(const Triangle& triangle, std::size_t k, const Eigen::Vector3d& x) const;
  /// Returns true if the foot of x is within the triangle up to `slack` [m]. The foot may leave it
  /// only over valleys through whose planes x came: there both planes hold x back.
  bool holds_back(const Triangle& triangle, const Eigen::Vector3d& x, double slack,
                  const EntryTest& came_through_surface) const;
  /// Returns the point of the triangle next to the foot of x.
  Eigen::Vector3d nearest_in(const Triangle& triangle, const Eigen::Vector3d& x) const;
  /// Returns true if n is in the corner's normal cone, or out of it by at most an angle of this
  /// sine.
  bool may_touch(const Corner& corner, const Eigen::Vector3d& n, double sine = kFlatAngle) const;
};

}  // namespace amontons::narrow_phase
