#include "amontons/geometry/surface/height_field_contact.h"

#include "amontons/geometry/convex/half_space_contact.h"
#include "amontons/geometry/surface/surface_contact.h"
#include "amontons/geometry/surface/terrain_features.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace amontons::narrow_phase {
namespace {

using Eigen::Index;
using Eigen::Vector3d;
using Contacts = std::vector<ContactPoint>;

/// Names the contact of a body that no feature claims: the first bit alone is set.
constexpr std::uint32_t kBuriedFeature = 0x80000000u;

/// Returns true if a point lies within the terrain's border and at most `slack` [m] above it.
bool is_in_ground(const HeightField& field, const Vector3d& point, double slack) {
  const double x = point.x(), y = point.y();
  const bool is_over = std::abs(x) <= 0.5 * field.size_x() && std::abs(y) <= 0.5 * field.size_y();
  return is_over && point.z() <= field.height_at(x, y) + slack;
}

/// Pushes a body that no feature claims, as it lies too deep, out of the triangle above its center.
void push_up_buried(const TerrainFeatures& terrain, const ConvexCore& core, Contacts& contacts) {
  if (!is_in_ground(terrain.field(), core.p, 0.0)) return;
  const Separation lift = separation(terrain.plane_over(core.p.x(), core.p.y()), core);
  contacts.push_back({0.5 * (lift.a + lift.b), lift.normal, lift.distance, kBuriedFeature});
}

/// Returns the separation from a point of the terrain to one of B: negative if B's is straight
/// below.
Separation across_to(const Vector3d& low, const Vector3d& beside) {
  const Vector3d offset = low - beside;
  const bool is_straight = offset.x() == 0.0 && offset.y() == 0.0;
  if (is_straight) return {offset.z(), Vector3d::UnitZ(), beside, low};
  return {offset.norm(), offset.normalized(), beside, low};
}

}  // namespace

void height_field_manifold(const HeightField& field, const Pose& X_FT, const ConvexCore& core,
                           double horizon, const std::optional<ClosingMotion>& motion,
                           Contacts& contacts) {
  // The search runs in the terrain's frame, where its triangles are found by their cells.
  ConvexCore core_T = core;
  core_T.R = X_FT.rotation.transpose() * core.R;
  core_T.p = X_FT.inverse() * core.p;
  const TerrainFeatures terrain(field);
  const double slack = kSameContact * std::min(field.spacing_x(), field.spacing_y());
  // A point behind a slope may be in the air on the other side of its hill. In the ground it leaves
  // upwards, so that no slope holds it back that is deeper than that: it is beyond a ridge.
  SurfaceDepth depth;
  depth.came_through_surface = [&](int, const Vector3d& point, double deep) {
    if (!is_in_ground(field, point, slack)) return false;
    const double below = field.height_at(point.x(), point.y()) - point.z();
    return deep <= std::max(below, 0.0) + slack;
  };
  // A shape wholly above the highest point has no contact.
  Contacts found;
  if (bounds_of(core_T, horizon).lower.z() <= field.highest()) {
    const SurfacePatch patch = terrain.patch_in(bounds_of(core_T, horizon));
    std::optional<ClosingMotion> motion_T;
    const Pose X_TF = X_FT.inverse();
    if (motion) motion_T = motion->in_frame(X_TF.rotation, X_TF.translation);
    found = surface_manifold(patch, core_T, horizon, slack, depth, motion_T);
    if (found.empty()) push_up_buried(terrain, core_T, found);
  }
  for (ContactPoint contact : found) {
    contact.position_W = X_FT * contact.position_W;
    contact.normal_W = X_FT.rotation * contact.normal_W;
    contacts.push_back(contact);
  }
}

Separation height_field_bound(const HeightField& field, const Pose& X_FT, const Vector3d& low_F) {
  // The distance is at most that from a point of the core to the surface below, above or beside it.
  const Vector3d low = X_FT.inverse() * low_F;
  const Vector3d clamped(std::clamp(low.x(), -0.5 * field.size_x(), 0.5 * field.size_x()),
                         std::clamp(low.y(), -0.5 * field.size_y(), 0.5 * field.size_y()), 0.0);
  const Vector3d beside(clamped.x(), clamped.y(), field.height_at(clamped.x(), clamped.y()));
  const Separation found = across_to(low, beside);
  return {found.distance, X_FT.rotation * found.normal, X_FT * found.a, X_FT * found.b};
}

Separation height_field_separation(const HeightField& field, const Pose& X_FT,
                                   const ConvexCore& core) {
  // The upper bound is the horizon of the search, a little larger so that rounding loses nothing.
  const Vector3d up = X_FT.rotation.col(2);
  const Separation bound = height_field_bound(field, X_FT, support(core, -up) - core.radius * up);
  Contacts contacts;
  height_field_manifold(field, X_FT, core, std::abs(bound.distance) * (1.0 + 1e-9), std::nullopt,
                        contacts);
  if (contacts.empty()) return bound;
  const Separation least = least_gap(contacts);
  return least.distance <= bound.distance ? least : bound;
}

}  // namespace amontons::narrow_phase
