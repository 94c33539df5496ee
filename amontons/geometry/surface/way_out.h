#pragma once

#include "amontons/geometry/shapes/collision_mesh.h"
#include "amontons/geometry/shapes/contact_point.h"
#include "amontons/geometry/surface/directional_gap.h"

#include <Eigen/Core>

#include <functional>
#include <optional>
#include <vector>

namespace amontons::narrow_phase {

/// Describes a translation of B after which two shapes do not overlap.
struct WayOut {
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();  ///< unit, from A into B
  double length = 0.0;                               ///< [m], >= 0
};

/// Says how one shape, B, moves out of another one, A, in A's frame.
struct Parting {
  double radius = 0.0;  ///< the smaller bounding radius [m]
  double slack = 0.0;   ///< gap [m] up to which both touch
  /// True where features may hold each other from all sides, as of gears; false where no surfaces
  /// cross, as of copies in one pose, whose contradictions hold nothing.
  bool may_lock = true;
  /// Returns how deep both overlap after a translation of B [m]: 0 if they are free, infinity if
  /// the overlap has no direction.
  std::function<double(const Eigen::Vector3d& translation)> depth_after;
  /// Returns how far B, after a way along n [m], moves on until what overlaps there has parted [m];
  /// 0 if nothing overlaps.
  std::function<double(const Eigen::Vector3d& n, double way)> next_move;
  /// Returns how far B, free after a way along n, can move back until it meets A, if that is less
  /// than a limit [m].
  std::function<std::optional<DirectionalGap>(const Eigen::Vector3d& n, double way, double limit)>
      way_back;
  /// Returns the directions along which a way out is sought, the most important first.
  std::function<std::vector<Eigen::Vector3d>()> directions;
};

/// Returns the way out that replaces the contacts of two shapes: where the translation that they
/// ask for leaves an overlap, or a deep overlap has a much shorter way out (docs/theory/meshes.md).
///
/// It is the shortest that is found along the directions, and along the normals in which both
/// shapes touch at the end of a way. A way ends where they touch for the last time before B is
/// free.
std::optional<WayOut> better_way_out(const Parting& parting,
                                     const std::vector<ContactPoint>& contacts);

/// Drops the contacts that overlap, and those that touch and would hold B back on its way.
void drop_replaced(const WayOut& way, double slack, std::vector<ContactPoint>& contacts);

/// Adds a direction unless there are 16, or a known one differs from it by less than 15 degrees.
void offer_direction(const Eigen::Vector3d& direction, std::vector<Eigen::Vector3d>& directions);

/// Adds the normals of a mesh's facets, the largest first, turned by a rotation or its opposite.
void offer_facets(const CollisionMesh& mesh, const Eigen::Matrix3d& turn,
                  std::vector<Eigen::Vector3d>& directions);

/// Returns the way of a point inside a mesh along a direction to the first facet by which it leaves
/// it [m]; 0 for none.
double exit_way(const CollisionMesh& mesh, const Eigen::Vector3d& x,
                const Eigen::Vector3d& direction, double slack);

}  // namespace amontons::narrow_phase
