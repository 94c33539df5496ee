#include "amontons/geometry/surface/mesh_way_out.h"

#include "amontons/geometry/convex/convex_core.h"
#include "amontons/geometry/convex/separation.h"
#include "amontons/geometry/surface/directional_gap.h"
#include "amontons/geometry/surface/mesh_crossing.h"
#include "amontons/geometry/surface/mesh_overlap.h"

#include <algorithm>
#include <limits>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;

// Vertices of a part inside the other mesh from which its way out is measured.
constexpr std::size_t kMaxVertices = 64;

Pose translated(Pose X, const Vector3d& translation) {
  X.translation += translation;
  return X;
}

/// Returns how deep both overlap at a pose [m]; infinity if there is no direction.
double depth_at(const CollisionMesh& A, const CollisionMesh& B, const Pose& X_AB, double slack) {
  constexpr double kNoDirection = std::numeric_limits<double>::infinity();
  double deepest = 0.0;
  const std::vector<Crossing> crossings = find_crossings(A, B, X_AB);
  for (const OverlapRegion& region : find_overlap_regions(A, B, X_AB, crossings)) {
    if (region.normal.isZero(0.0)) return kNoDirection;
    deepest = std::max(deepest, region.depth);
  }
  if (deepest > slack) return deepest;
  const bool is_inside = has_part_inside(A, B, X_AB) || has_part_inside(B, A, X_AB.inverse());
  return is_inside ? kNoDirection : deepest;
}

/// Returns the way along a direction in which the parts of the inner mesh inside the outer one meet
/// its surface with all their vertices [m]; 0 if none is inside.
/// @param direction  of the inner mesh against the outer, in the outer's frame.
double way_of_parts(const CollisionMesh& outer, const CollisionMesh& inner, const Pose& X_OI,
                    const Vector3d& direction, double slack) {
  double farthest = 0.0;
  for (const std::vector<int>* part : parts_inside(outer, inner, X_OI)) {
    const std::size_t count = std::min(part->size(), kMaxVertices);
    for (std::size_t k = 0; k < count; ++k) {
      const Vector3d x = X_OI * inner.vertex((*part)[k * part->size() / count]);
      farthest = std::max(farthest, exit_way(outer, x, direction, slack));
    }
    farthest = std::max(farthest, slack);
  }
  return farthest;
}

/// Returns how far B moves along n until regions have parted, those that only touch left out [m].
double way_of_regions(const std::vector<OverlapRegion>& regions, const Vector3d& n, double slack) {
  double farthest = 0.0;
  for (const OverlapRegion& region : regions) {
    if (!region.is_touch(slack)) farthest = std::max({farthest, slack, region.depth_along(n)});
  }
  return farthest;
}

/// Returns how far B moves along n until what overlaps now has parted [m]; 0 if nothing overlaps.
double next_move(const CollisionMesh& A, const CollisionMesh& B, const Pose& X_AB,
                 const Vector3d& n, double slack) {
  std::vector<Crossing> crossings = find_crossings(A, B, X_AB);
  if (!crossings.empty() && coincide(A, B, X_AB)) crossings.clear();
  const double way = way_of_regions(find_overlap_regions(A, B, X_AB, crossings), n, slack);
  if (way > 0.0) return way;
  const Pose X_BA = X_AB.inverse();
  return std::max(way_of_parts(A, B, X_AB, n, slack),
                  way_of_parts(B, A, X_BA, X_BA.rotation * -n, slack));
}

std::vector<Vector3d> directions_of(const CollisionMesh& A, const CollisionMesh& B,
                                    const Pose& X_AB, const std::vector<OverlapRegion>& regions) {
  std::vector<Vector3d> directions;
  if (A.hull() && B.hull()) {
    const Separation hulls = separation({make_core(A.hull(), Pose{}, Vector3d::Zero()),
                                         make_core(B.hull(), X_AB, Vector3d::Zero())});
    offer_direction(hulls.normal, directions);
  }
  for (const OverlapRegion& region : regions) offer_direction(region.normal, directions);
  for (const OverlapRegion& region : regions) {
    for (const Vector3d& normal : region.facet_normals) offer_direction(normal, directions);
  }
  if (!regions.empty()) return directions;
  offer_facets(A, Eigen::Matrix3d::Identity(), directions);
  offer_facets(B, -X_AB.rotation, directions);
  return directions;
}

}  // namespace

Parting mesh_parting(const CollisionMesh& A, const CollisionMesh& B, const Pose& X_AB,
                     const std::vector<OverlapRegion>& regions, double slack) {
  Parting parting;
  parting.radius = std::min(A.bounding_radius(), B.bounding_radius());
  parting.slack = slack;
  parting.may_lock = !regions.empty();
  parting.depth_after = [&A, &B, X_AB, slack](const Vector3d& translation) {
    return depth_at(A, B, translated(X_AB, translation), slack);
  };
  parting.next_move = [&A, &B, X_AB, &regions, slack](const Vector3d& n, double way) {
    // Every direction begins where the regions are known.
    if (way == 0.0 && !regions.empty()) return way_of_regions(regions, n, slack);
    return next_move(A, B, translated(X_AB, way * n), n, slack);
  };
  parting.way_back = [&A, &B, X_AB](const Vector3d& n, double way, double limit) {
    return directional_gap(A, B, translated(X_AB, way * n), n, limit);
  };
  parting.directions = [&A, &B, X_AB, &regions] { return directions_of(A, B, X_AB, regions); };
  return parting;
}

}  // namespace amontons::narrow_phase
