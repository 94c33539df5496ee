#pragma once

#include "amontons/geometry/convex/convex_core.h"
#include "amontons/geometry/convex/support_feature.h"
#include "amontons/geometry/surface/surface_patch.h"

#include <Eigen/Core>

#include <optional>
#include <vector>

namespace amontons::narrow_phase {

/// Describes the border of a face, near a point of its plane.
///
/// Where a body stands on another one with a wall in line with a wall below, or slides from a tile
/// onto one that is level with it, a face of one and a feature of the other lie in one plane, but
/// beyond each other's borders: they have a line in common at most. Such faces hold nothing back,
/// else walls would glue bodies, and seams stop them.
struct Border {
  Eigen::Vector3d point;     ///< of the border [m]
  Eigen::Vector3d outwards;  ///< unit, normal to the border in the plane of the face
  /// Unit, along the border from a corner of the face that is near; zero for none.
  Eigen::Vector3d way = Eigen::Vector3d::Zero();
};

/// Returns the ridges at the border of the face to which a triangle belongs, within twice the slack
/// [m] of a point x of its plane.
std::vector<Border> borders_at(const SurfacePatch& surface, std::size_t triangle,
                               const Eigen::Vector3d& x, double slack);
/// Returns the sides of a face with the outward normal n over which, or at which, a point x lies.
std::vector<Border> borders_at(const SupportFeature& face, const Eigen::Vector3d& n,
                               const Eigen::Vector3d& x, double slack);
/// Returns a ridge as the border of each face beside it that has the normal n.
std::vector<Border> borders_at(const SurfacePatch::Edge& ridge, const Eigen::Vector3d& n);

/// Returns true if all of the surface at a corner that is level with a face of normal n, or leans
/// by up to kManifoldSine from it, lies beyond one of its borders. At an inner corner of the face,
/// which lies on both sides of each border, it must lie beyond all.
bool lies_beyond(const std::vector<Border>& borders, const SurfacePatch& surface,
                 const SurfacePatch::Corner& corner, const Eigen::Vector3d& n);
/// Returns true if a convex shape lies beyond one of the borders.
bool lies_beyond(const std::vector<Border>& borders, const ConvexCore& core, double slack);

/// Returns the direction from an end of an edge along it, where a point of it is within the slack
/// [m] of that end.
std::optional<Eigen::Vector3d> way_from_end(const SurfacePatch::Edge& edge,
                                            const Eigen::Vector3d& x, double slack);
/// Returns true if a direction leads over one of the borders, or along it.
bool leads_away(const std::vector<Border>& borders, const Eigen::Vector3d& way);

}  // namespace amontons::narrow_phase
