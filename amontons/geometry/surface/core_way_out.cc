#include "amontons/geometry/surface/core_way_out.h"

#include "amontons/geometry/convex/half_space_contact.h"
#include "amontons/geometry/convex/separation.h"
#include "amontons/geometry/surface/core_overlap.h"
#include "amontons/geometry/surface/inner_parts.h"
#include "amontons/geometry/surface/mesh_contact.h"
#include "amontons/geometry/surface/way_out.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <limits>
#include <utility>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;

constexpr double kNone = std::numeric_limits<double>::infinity();
// Steps back towards the mesh, each by the distance that is left, and the part of the whole way up
// to which it is exact [-].
constexpr int kMaxSteps = 24;
constexpr double kExact = 1e-4;

ConvexCore translated(ConvexCore core, const Vector3d& translation) {
  core.p += translation;
  return core;
}

/// Returns the height of the core's lowest point along n [m].
double lowest(const ConvexCore& core, const Vector3d& n) {
  return n.dot(support(core, -n)) - core.radius;
}

double depth_at(const CollisionMesh& mesh, const ConvexCore& core) {
  if (const auto overlap = core_overlap(mesh, core)) return -overlap->gap;
  return mesh.contains(middle_of(core)) ? kNone : 0.0;
}

double next_move(const CollisionMesh& mesh, const ConvexCore& core, const Vector3d& n,
                 double slack) {
  double highest = -kNone;
  for (const InnerPart& part : inner_parts(mesh, core)) {
    for (const Vector3d& x : part.polygon) highest = std::max(highest, n.dot(x));
  }
  if (highest > -kNone) return std::max(highest - lowest(core, n), slack);
  const Vector3d middle = middle_of(core);
  return mesh.contains(middle) ? std::max(exit_way(mesh, middle, n, slack), slack) : 0.0;
}

/// Steps back along -n by the distance of both, which is at most their gap along n.
std::optional<DirectionalGap> way_back(const CollisionMesh& mesh, const ConvexCore& core,
                                       const Vector3d& n, double limit, double exact) {
  DirectionalGap back;
  for (int step = 0; step < kMaxSteps; ++step) {
    const Separation nearest = mesh_separation(mesh, Pose{}, translated(core, -back.way * n));
    back.normal = nearest.normal;
    if (!(nearest.distance > exact)) break;
    back.way += nearest.distance;
    if (back.way >= limit) return std::nullopt;
  }
  return back;
}

std::vector<Vector3d> directions_of(const CollisionMesh& mesh, const ConvexCore& core) {
  std::vector<Vector3d> directions;
  if (mesh.hull()) {
    const Separation hulls = separation({make_core(mesh.hull(), Pose{}, Vector3d::Zero()), core});
    offer_direction(hulls.normal, directions);
  }
  // The facets inside by their areas there, the largest first.
  std::vector<std::pair<double, int>> facets;
  for (const InnerPart& part : inner_parts(mesh, core)) facets.emplace_back(-part.area, part.facet);
  std::sort(facets.begin(), facets.end());
  constexpr std::size_t kFacets = 8;
  for (const auto& [area, facet] : facets) {
    if (directions.size() > kFacets) break;
    offer_direction(mesh.facets()[static_cast<std::size_t>(facet)].normal, directions);
  }
  for (int axis = 0; axis < 3; ++axis) {
    offer_direction(core.R.col(axis), directions);
    offer_direction(-core.R.col(axis), directions);
  }
  if (facets.empty()) offer_facets(mesh, Eigen::Matrix3d::Identity(), directions);
  return directions;
}

}  // namespace

void part_core(const CollisionMesh& mesh, const ConvexCore& core, double horizon, double slack,
               std::vector<ContactPoint>& contacts) {
  if (!mesh.encloses()) return;
  Parting parting;
  parting.radius = std::min(mesh.bounding_radius(), core.size + core.radius);
  parting.slack = slack;
  parting.depth_after = [&](const Vector3d& translation) {
    return depth_at(mesh, translated(core, translation));
  };
  parting.next_move = [&](const Vector3d& n, double way) {
    return next_move(mesh, translated(core, way * n), n, slack);
  };
  parting.way_back = [&](const Vector3d& n, double way, double limit) {
    return way_back(mesh, translated(core, way * n), n, limit, std::max(slack, kExact * way));
  };
  parting.directions = [&] { return directions_of(mesh, core); };
  const std::optional<WayOut> way = better_way_out(parting, contacts);
  if (!way) return;
  drop_replaced(*way, slack, contacts);
  const Plane left{way->normal, lowest(core, way->normal) + way->length};
  half_space_manifold(left, core, horizon, contacts);
}

}  // namespace amontons::narrow_phase
