#include "amontons/geometry/surface/mesh_pair_contact.h"

#include "amontons/geometry/convex/manifold_reduction.h"
#include "amontons/geometry/convex/separation.h"
#include "amontons/geometry/shapes/triangle_distance.h"
#include "amontons/geometry/surface/height_field_contact.h"
#include "amontons/geometry/surface/mesh_contact.h"
#include "amontons/geometry/surface/mesh_overlap.h"
#include "amontons/geometry/surface/mesh_query.h"
#include "amontons/geometry/surface/surface_contact.h"
#include "amontons/geometry/surface/surface_pair.h"
#include "amontons/geometry/surface/terrain_features.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;
using Contacts = std::vector<ContactPoint>;

// Rounds of the search for near points of two meshes, from which their distance is bounded.
constexpr int kApproachRounds = 4;
// Beyond this distance, relative to the smaller mesh, the nearest points alone determine the normal
// [-]. Nearer pairs take it from the features.
constexpr double kClearlyApart = 1e-3;
// By this a face may lean from the normals of a corner on it [-]: a chord of kManifoldSine.
constexpr double kLean = 0.35;
// A depth beyond every other [m].
constexpr double kNoBound = std::numeric_limits<double>::infinity();
// A point this near to a mesh, relative to its radius, is one of its points [-].
constexpr double kOnSurface = 1e-12;

/// Returns the lateral distance [m] below which points count as one.
double slack_of(const CollisionMesh& A, const CollisionMesh& B) {
  return kSameContact * std::min(A.bounding_radius(), B.bounding_radius());
}

/// Returns the center of the mesh's bounding box, in its own frame [m].
Vector3d middle_of(const CollisionMesh& mesh) { return mesh.tree().bounds().center(); }

/// Says through which facet a point is behind the surface of a mesh; -1: it is not.
struct Entry {
  Vector3d point;
  int facet = -1;
};

/// Says what a mesh meets, in the frame of both: another mesh, or a terrain that is solid below.
struct Opponent {
  Vector3d middle;             // of the other mesh; of a terrain a point above it [m]
  std::optional<Vector3d> up;  // of a terrain: unit
};

/// Returns the facet of entry: the nearest one of a mesh that encloses, the first one passed of a
/// sheet. A terrain enters from below: through the nearest facet that does not face up.
/// @param other  in the frame of the mesh.
Entry entry_of(const CollisionMesh& mesh, const Opponent& other, const Vector3d& x, double slack) {
  if (!mesh.encloses()) return {x, first_entry(mesh, other.middle, x, slack).value_or(-1)};
  if (!mesh.contains(x)) return {x, -1};
  return {x, (other.up ? nearest_facing_away(mesh, x, *other.up) : nearest_on_mesh(mesh, x)).facet};
}

/// Returns one surface of the pair with the tests for points of the other one.
/// @param X_M      pose of the mesh in the common frame.
/// @param other    in the common frame.
/// @param deepest  depth beyond which a point of the other surface is not pushed out here [m].
SurfaceSide side_of(const CollisionMesh& mesh, const Pose& X_M, const SurfacePatch& patch,
                    const Opponent& other, double deepest, double slack) {
  const Pose to_mesh = X_M.inverse();
  Opponent own{to_mesh * other.middle, std::nullopt};
  if (other.up) own.up = to_mesh.rotation * *other.up;
  SurfaceSide side{patch, {}, {}, deepest};
  side.contains = [&mesh, to_mesh, own, slack](const Vector3d& x) {
    // A mesh that encloses has an inside, its surface included; a sheet is passed on the way from
    // the other mesh's middle.
    const Vector3d x_M = to_mesh * x;
    if (!mesh.encloses()) return first_entry(mesh, own.middle, x_M, slack).has_value();
    return mesh.contains(x_M) || nearest_on_mesh(mesh, x_M).distance <= slack;
  };
  // Corners ask for one point and several planes, so that the last answer is kept.
  std::optional<Entry> last;
  side.came_through_surface = [&mesh, &patch, to_mesh, own, deepest, slack, last](
                                  int plane, const Vector3d& x, double depth) mutable {
    if (depth > deepest + slack) return false;
    const Vector3d x_M = to_mesh * x;
    if (!last || last->point != x_M) last = entry_of(mesh, own, x_M, slack);
    return last->facet >= 0 && is_exit_plane(mesh, patch, plane, last->facet, depth, x_M, slack);
  };
  return side;
}

/// Returns true if a triangle is farther than a margin [m] from the plane of another one, which has
/// a normal of any length.
bool is_beyond(const Triangle& triangle, const Vector3d& normal, const Vector3d& point,
               double margin) {
  const double limit = margin * normal.norm();
  const double x = normal.dot(triangle[0] - point), y = normal.dot(triangle[1] - point),
               z = normal.dot(triangle[2] - point);
  return std::min({x, y, z}) > limit || std::max({x, y, z}) < -limit;
}

/// Finds the triangles of each mesh that may touch the other, in increasing order. Of those whose
/// boxes and normals allow it, it leaves out pairs in which one is beyond the plane of the other.
void near_triangles(const CollisionMesh& A, const CollisionMesh& B, const Pose& X_AB,
                    const FeatureReach& reach, const std::optional<ClosingMotion>& motion,
                    std::vector<int>& of_A, std::vector<int>& of_B) {
  const double margin = std::max(reach.gap, reach.depth) + reach.beside;
  const auto may_touch = [&](int a, int b) {
    const Triangle own = A.triangle(a);
    Triangle theirs = B.triangle(b);
    for (Vector3d& corner : theirs) corner = X_AB * corner;
    const Vector3d n_A = (own[1] - own[0]).cross(own[2] - own[0]);
    if (is_beyond(theirs, n_A, own[0], margin)) return false;
    const Vector3d n_B = (theirs[1] - theirs[0]).cross(theirs[2] - theirs[0]);
    return !is_beyond(own, n_B, theirs[0], margin);
  };
  A.features().find_facing(B.features(), X_AB, reach, motion, may_touch, of_A, of_B);
}

/// Appends contacts, moved by a pose.
void append_in(const Pose& X, const Contacts& found, Contacts& contacts) {
  for (ContactPoint contact : found) {
    contact.position_W = X * contact.position_W;
    contact.normal_W = X.rotation * contact.normal_W;
    contacts.push_back(contact);
  }
}

/// Returns the separation of two points; the normal of coincident ones is arbitrary.
Separation between(const Vector3d& a, const Vector3d& b) {
  const double distance = (b - a).norm();
  const Vector3d normal = distance > 0.0 ? Vector3d((b - a) / distance) : Vector3d::UnitZ();
  return {distance, normal, a, b};
}

/// Alternates projections from B's first vertex to A, back to B, and so on. The result bounds the
/// distance from above [m].
Separation approach(const CollisionMesh& A, const CollisionMesh& B, const Pose& X_AB) {
  const Pose X_BA = X_AB.inverse();
  Separation near;
  near.b = X_AB * B.vertex(B.triangles().front()[0]);
  for (int round = 0; round < kApproachRounds; ++round) {
    near.a = nearest_on_mesh(A, near.b).point;
    near.b = X_AB * nearest_on_mesh(B, X_BA * near.a).point;
  }
  return between(near.a, near.b);
}

/// Returns the nearest points of the hulls if they are points of the meshes: then nothing is
/// nearer.
std::optional<Separation> nearest_on_hulls(const CollisionMesh& A, const CollisionMesh& B,
                                           const Pose& X_AB) {
  if (!A.hull() || !B.hull()) return std::nullopt;
  const ConvexCore hull_A = make_core(A.hull(), Pose{}, Vector3d::Zero());
  const ConvexCore hull_B = make_core(B.hull(), X_AB, Vector3d::Zero());
  const Separation found = separation({hull_A, hull_B});
  if (!(found.distance > 0.0)) return std::nullopt;
  const double slack_A = kOnSurface * A.bounding_radius();
  const double slack_B = kOnSurface * B.bounding_radius();
  if (nearest_on_mesh(A, found.a).distance > slack_A) return std::nullopt;
  if (nearest_on_mesh(B, X_AB.inverse() * found.b).distance > slack_B) return std::nullopt;
  return found;
}

/// Returns the gap of two triangles along a direction [m]: a lower bound of their distance.
double gap_along(const Triangle& A, const Triangle& B, const Vector3d& n) {
  const double a = std::max({n.dot(A[0]), n.dot(A[1]), n.dot(A[2])});
  return std::min({n.dot(B[0]), n.dot(B[1]), n.dot(B[2])}) - a;
}

/// Returns the nearest points of all triangles, by branch and bound from a known pair.
/// @param least  a distance below which others may be nearer [m].
Separation nearest_points(const CollisionMesh& A, const CollisionMesh& B, const Pose& X_AB,
                          Separation near, double least = 0.0) {
  double best = near.distance * near.distance;
  A.tree().visit_nearest_pairs(B.tree(), X_AB, best, [&](int a, int b) {
    // The gap along the known normal is a cheap bound that discards most pairs.
    const Triangle own = A.triangle(a);
    Triangle theirs = B.triangle(b);
    for (Vector3d& corner : theirs) corner = X_AB * corner;
    if (gap_along(own, theirs, near.normal) >= near.distance) return best;
    const NearestInTriangles found = nearest_in_triangles(own, theirs);
    if (found.squared_distance < best) {
      best = found.squared_distance;
      near = between(found.a, found.b);
      if (near.distance <= least) best = 0.0;
    }
    return best;
  });
  return near;
}

/// Returns true if neither mesh is inside the other or behind a sheet, where their surfaces do not
/// meet.
bool are_apart(const CollisionMesh& A, const CollisionMesh& B, const Pose& X_AB) {
  if (!A.tree().bounds().overlaps(box_around(B.tree().bounds(), X_AB))) return true;
  return A.encloses() && B.encloses() && !has_part_inside(A, B, X_AB) &&
         !has_part_inside(B, A, X_AB.inverse());
}

}  // namespace

void mesh_pair_manifold(const CollisionMesh& A, const Pose& X_FA, const CollisionMesh& B,
                        const Pose& X_FB, double horizon,
                        const std::optional<ClosingMotion>& motion, Contacts& contacts) {
  const Pose X_AF = X_FA.inverse(), X_AB = X_AF * X_FB;
  std::optional<ClosingMotion> motion_A;
  if (motion) motion_A = motion->in_frame(X_AF.rotation, X_AF.translation);
  const double slack = slack_of(A, B);
  std::optional<MeshOverlap> overlap;
  if (A.encloses() && B.encloses()) overlap.emplace(A, B, X_AB);
  // All is computed in A's frame, from the triangles that are near. Features that overlap are as
  // far from each other as they are deep.
  const double depth = overlap ? overlap->depth() : 0.0, reach = std::max(horizon, depth);
  // What overlaps a sheet may be anywhere within the horizon of it.
  const double behind = overlap ? depth : horizon;
  std::vector<int> of_A, of_B;
  near_triangles(A, B, X_AB, {reach, behind + slack, behind + 2.0 * slack, kLean}, motion_A, of_A,
                 of_B);
  const SurfacePatch patch_A = mesh_patch_of(A, of_A);
  const SurfacePatch patch_B = transformed(X_AB, mesh_patch_of(B, of_B));
  const double deepest = overlap ? depth : kNoBound;
  Contacts found = surface_pair_manifold(
      side_of(A, Pose{}, patch_A, {X_AB * middle_of(B), {}}, deepest, slack),
      side_of(B, X_AB, patch_B, {middle_of(A), {}}, deepest, slack), reach, slack, motion_A);
  if (overlap) overlap->settle(slack, found);
  std::erase_if(found, [&](const ContactPoint& contact) {
    return contact.gap > horizon ||
           (motion_A && contact.gap > motion_A->gap_at(contact.position_W, contact.normal_W));
  });
  reduce_parallel(slack, found);
  append_in(X_FA, found, contacts);
}

Separation mesh_pair_separation(const CollisionMesh& A, const Pose& X_FA, const CollisionMesh& B,
                                const Pose& X_FB) {
  const Pose X_AB = X_FA.inverse() * X_FB;
  const auto in_F = [&X_FA](const Separation& in_A) {
    return Separation{in_A.distance, X_FA.rotation * in_A.normal, X_FA * in_A.a, X_FA * in_A.b};
  };
  // Distance of the hulls, if it is that of the meshes: the cheapest exact case.
  if (const auto found = nearest_on_hulls(A, B, X_AB)) return in_F(*found);
  // Nearest points of the surfaces, which are exact for meshes clearly apart.
  const Separation bound = approach(A, B, X_AB);
  const Separation near = nearest_points(A, B, X_AB, bound);
  const double clear = kClearlyApart * std::min(A.bounding_radius(), B.bounding_radius());
  if (near.distance > clear && are_apart(A, B, X_AB)) return in_F(near);
  // Near or overlapping meshes take distance and normal from their least gap.
  Contacts contacts;
  const double slack = slack_of(A, B);
  mesh_pair_manifold(A, X_FA, B, X_FB, near.distance + slack, std::nullopt, contacts);
  return contacts.empty() ? in_F(near) : least_gap(contacts);
}

double mesh_pair_clearance(const CollisionMesh& A, const CollisionMesh& B, const Pose& X_AB,
                           double least) {
  const Separation bound = approach(A, B, X_AB);
  if (bound.distance <= least) return 0.0;
  const Separation near = nearest_points(A, B, X_AB, bound, least);
  return near.distance > least && are_apart(A, B, X_AB) ? near.distance : 0.0;
}

void terrain_mesh_manifold(const HeightField& field, const Pose& X_FT, const CollisionMesh& mesh,
                           const Pose& X_FM, double horizon, Contacts& contacts) {
  // The part of the terrain below the mesh's box.
  const Pose X_TM = X_FT.inverse() * X_FM;
  const double slack =
      kSameContact * std::min({field.spacing_x(), field.spacing_y(), mesh.bounding_radius()});
  Aabb box = box_around(mesh.tree().bounds(), X_TM).grown(horizon);
  if (box.lower.z() > field.highest()) return;
  const TerrainFeatures terrain(field);
  const SurfacePatch ground = terrain.patch_in(box);
  // The mesh's triangles above that part's highest corner cannot touch it.
  std::vector<int> near;
  double highest = box.lower.z();
  for (const SurfacePatch::Triangle& triangle : ground.triangles) {
    for (const Vector3d& corner : triangle.corner) highest = std::max(highest, corner.z());
  }
  box.upper.z() = std::min(box.upper.z(), highest + horizon);
  mesh.tree().find(box_around(box, X_TM.inverse()), near);
  const SurfacePatch patch = transformed(X_TM, mesh_patch_of(mesh, near));
  // All below the terrain is solid; a sheet is passed from above.
  SurfaceSide below{
      ground, [](int, const Vector3d&, double) { return true; },
      [&](const Vector3d& x) { return x.z() < field.height_at(x.x(), x.y()) + slack; }};
  const Opponent above{{0.0, 0.0, field.highest()}, Vector3d::UnitZ()};
  Contacts found = surface_pair_manifold(below, side_of(mesh, X_TM, patch, above, kNoBound, slack),
                                         horizon, slack, std::nullopt);
  reduce_parallel(slack, found);
  append_in(X_FT, found, contacts);
}

Separation terrain_mesh_separation(const HeightField& field, const Pose& X_FT,
                                   const CollisionMesh& mesh, const Pose& X_FM) {
  // The lowest vertex of the mesh gives an upper bound, which is the horizon of the search.
  const Vector3d up = X_FT.rotation.col(2);
  Vector3d low = X_FM * mesh.vertices().front();
  for (const Vector3d& v : mesh.vertices()) {
    if (up.dot(X_FM * v - low) < 0.0) low = X_FM * v;
  }
  const Separation bound = height_field_bound(field, X_FT, low);
  Contacts contacts;
  terrain_mesh_manifold(field, X_FT, mesh, X_FM, std::abs(bound.distance) * (1.0 + 1e-9), contacts);
  if (contacts.empty()) return bound;
  const Separation least = least_gap(contacts);
  return least.distance <= bound.distance ? least : bound;
}

}  // namespace amontons::narrow_phase
