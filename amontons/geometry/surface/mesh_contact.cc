#include "amontons/geometry/surface/mesh_contact.h"

#include "amontons/geometry/convex/half_space_contact.h"
#include "amontons/geometry/convex/separation.h"
#include "amontons/geometry/surface/core_overlap.h"
#include "amontons/geometry/surface/core_way_out.h"
#include "amontons/geometry/surface/mesh_query.h"
#include "amontons/geometry/surface/surface_contact.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <tuple>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;
using Contacts = std::vector<ContactPoint>;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Returns the plane of a facet in the mesh's frame.
Plane plane_of(const CollisionMesh& mesh, int facet) {
  return {mesh.facets()[at(facet)].normal, mesh.facets()[at(facet)].offset};
}

/// Collects the planes, triangles, edges and corners of a patch.
class PatchBuilder {
 public:
  PatchBuilder(const CollisionMesh& mesh, const std::vector<int>& triangles)
      : mesh_(mesh), chosen_(triangles) {
    std::stable_sort(chosen_.begin(), chosen_.end(),
                     [&](int a, int b) { return mesh.facet_of(a) < mesh.facet_of(b); });
  }

  /// Returns the patch. With a box only the edges and corners that overlap it are taken.
  SurfacePatch build(const Aabb* box) {
    patch_.triangles.reserve(chosen_.size());
    for (const int t : chosen_) add_triangle(t);
    num_own_planes_ = patch_.planes.size();
    // Planes of valleys come last, as none of their own triangles need be in the patch.
    for (std::size_t k = 0; k < chosen_.size(); ++k) add_sides(chosen_[k], patch_.triangles[k]);
    // Edges and corners follow their owners in increasing order, whatever the order of the search.
    std::sort(chosen_.begin(), chosen_.end());
    for (const int t : chosen_) {
      for (const int c : mesh_.creases_of(t)) add_edge(c, box);
      for (const int v : mesh_.corners_of(t)) add_corner(v, box);
    }
    return std::move(patch_);
  }

 private:
  /// Adds the plane of a facet, and returns its number in the patch.
  int add_plane(int facet) {
    patch_.planes.push_back(plane_of(mesh_, facet));
    patch_.facet_of_plane.push_back(facet);
    return static_cast<int>(patch_.planes.size()) - 1;
  }
  /// Returns the number of a facet's plane in the patch, where it is added if it is missing.
  int plane_index(int facet) {
    // The facets of the patch's own triangles ascend.
    const auto begin = patch_.facet_of_plane.begin(),
               end = begin + static_cast<std::ptrdiff_t>(num_own_planes_);
    const auto found = std::lower_bound(begin, end, facet);
    if (found != end && *found == facet) return static_cast<int>(found - begin);
    const auto [known, is_new] = beyond_.try_emplace(facet, 0);
    if (is_new) known->second = add_plane(facet);
    return known->second;
  }

  /// Adds a triangle and the plane of its facet.
  void add_triangle(int t) {
    SurfacePatch::Triangle triangle;
    triangle.corner = {mesh_.corner(t, 0), mesh_.corner(t, 1), mesh_.corner(t, 2)};
    const int facet = mesh_.facet_of(t);
    // Triangles follow each other by their facets.
    const bool is_known = !patch_.planes.empty() && patch_.facet_of_plane.back() == facet;
    triangle.plane = is_known ? static_cast<int>(patch_.planes.size()) - 1 : add_plane(facet);
    patch_.triangles.push_back(triangle);
  }

  /// Notes the planes into which the surface turns up beyond the sides of a triangle, and the sides
  /// beyond which it turns down.
  void add_sides(int t, SurfacePatch::Triangle& triangle) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int beyond = mesh_.sides(t).facet[k];
      if (beyond < 0) {
        triangle.ridge[k] = mesh_.neighbors(t)[k] < 0;
        continue;
      }
      SurfacePatch::Edge side;
      side.tail = triangle.corner[k];
      side.head = triangle.corner[(k + 1) % 3];
      side.left = mesh_.facets()[at(mesh_.facet_of(t))].normal;
      side.right = mesh_.facets()[at(beyond)].normal;
      if (side.is_valley()) triangle.valley[k] = plane_index(beyond);
      triangle.ridge[k] = side.is_ridge();
    }
  }

  /// Adds a crease if it is a ridge and near enough.
  void add_edge(int index, const Aabb* box) {
    const CollisionMesh::Crease& crease = mesh_.creases()[at(index)];
    SurfacePatch::Edge edge;
    edge.tail = mesh_.vertex(crease.tail);
    edge.head = mesh_.vertex(crease.head);
    std::tie(edge.left, edge.right) = mesh_.normals_beside(crease);
    edge.id = static_cast<std::uint32_t>(index);
    const Aabb own = Aabb::around(std::array{edge.tail, edge.head});
    const bool is_near = box == nullptr || box->overlaps(own);
    if (is_near && edge.is_ridge()) patch_.edges.push_back(edge);
  }

  /// Adds a corner with its spokes if it is near enough.
  void add_corner(int v, const Aabb* box) {
    const Vector3d& position = mesh_.vertex(v);
    if (box != nullptr && !box->overlaps({position, position})) return;
    SurfacePatch::Corner corner;
    corner.position = position;
    corner.first_spoke = patch_.spokes.size();
    corner.id = static_cast<std::uint32_t>(v);
    corner.cone = mesh_.normals_at(v);
    const std::span<const Vector3d> spokes = mesh_.crease_directions(v);
    patch_.spokes.insert(patch_.spokes.end(), spokes.begin(), spokes.end());
    corner.num_spokes = patch_.spokes.size() - corner.first_spoke;
    patch_.corners.push_back(corner);
  }

  const CollisionMesh& mesh_;
  std::vector<int> chosen_;
  std::size_t num_own_planes_ = 0;  // of the facets of its triangles
  std::map<int, int> beyond_;       // of facets beyond valleys: their planes
  SurfacePatch patch_;
};

/// Returns true if a triangle of a plane has a valley towards a facet.
bool has_valley_towards(const SurfacePatch& patch, int plane, int facet) {
  const auto is_before = [](const SurfacePatch::Triangle& triangle, int limit) {
    return triangle.plane < limit;
  };
  const auto begin = patch.triangles.begin(), end = patch.triangles.end();
  const auto first = std::lower_bound(begin, end, plane, is_before);
  const auto last = std::lower_bound(first, end, plane + 1, is_before);
  return std::any_of(first, last, [&](const SurfacePatch::Triangle& triangle) {
    return std::any_of(triangle.valley.begin(), triangle.valley.end(), [&](int valley) {
      return valley >= 0 && patch.facet_of_plane[at(valley)] == facet;
    });
  });
}

/// Describes the depth of a shape in a mesh. A point is inside if the way to it from the shape's
/// middle leads through the front of a facet.
SurfaceDepth depth_of(const CollisionMesh& mesh, const SurfacePatch& patch, const Vector3d& middle,
                      double slack) {
  SurfaceDepth depth;
  depth.needs_middle_in_front = true;
  depth.middle = middle;
  depth.came_through_surface = [&mesh, &patch, middle, slack](int plane, const Vector3d& x,
                                                              double deep) {
    const std::optional<int> entry = first_entry(mesh, middle, x, slack);
    return entry && is_exit_plane(mesh, patch, plane, *entry, deep, x, slack);
  };
  return depth;
}

/// Returns the lateral distance [m] below which points count as one.
double slack_of(const CollisionMesh& mesh, const ConvexCore& core) {
  return kSameContact * std::min(mesh.bounding_radius(), core.size + core.radius);
}

/// Returns a core in the mesh's frame, X_MF = X_FM^-1.
ConvexCore in_frame(const Pose& X_FM, const ConvexCore& core) {
  ConvexCore result = core;
  result.R = X_FM.rotation.transpose() * core.R;
  result.p = X_FM.inverse() * core.p;
  return result;
}

/// Appends the contacts of features, or of the plane that pushes the core out, in the mesh's frame.
void find_by_features(const CollisionMesh& mesh, const ConvexCore& core, double horizon,
                      double slack, const std::optional<ClosingMotion>& motion,
                      Contacts& contacts) {
  const Vector3d middle = middle_of(core);
  if (const std::optional<Plane> out = exit_plane(mesh, middle)) {
    half_space_manifold(*out, core, horizon, contacts);
    return;
  }
  const SurfacePatch patch = mesh_patch_in(mesh, bounds_of(core, horizon));
  contacts =
      surface_manifold(patch, core, horizon, slack, depth_of(mesh, patch, middle, slack), motion);
  // Where no pair of features overlaps, the surfaces may cross all the same.
  const bool is_explained = std::any_of(contacts.begin(), contacts.end(),
                                        [&](const auto& contact) { return contact.gap <= slack; });
  if (is_explained) return;
  if (const auto overlap = core_overlap(mesh, core)) contacts.push_back(*overlap);
}

/// Returns the contacts in the mesh's frame.
Contacts find_contacts(const CollisionMesh& mesh, const ConvexCore& core, double horizon,
                       const std::optional<ClosingMotion>& motion) {
  Contacts contacts;
  const double slack = slack_of(mesh, core);
  find_by_features(mesh, core, horizon, slack, motion, contacts);
  part_core(mesh, core, horizon, slack, contacts);
  return contacts;
}

}  // namespace

std::optional<Plane> exit_plane(const CollisionMesh& mesh, const Vector3d& middle) {
  if (!mesh.contains(middle)) return std::nullopt;
  const NearestOnMesh nearest = nearest_on_mesh(mesh, middle);
  Vector3d normal = mesh.facets()[at(nearest.facet)].normal;
  // From inside, the nearest point may be on a valley between facets, where the way out is the
  // direction to it.
  if (nearest.distance > kSameContact * mesh.bounding_radius()) {
    const Vector3d out = (nearest.point - middle) / nearest.distance;
    if (out.cross(normal).norm() > kSameContact) normal = out;
  }
  return Plane{normal, normal.dot(nearest.point)};
}

bool is_exit_plane(const CollisionMesh& mesh, const SurfacePatch& patch, int plane, int entered,
                   double depth, const Vector3d& x, double slack) {
  // The facet of entry itself, or a plane that is no deeper, always pushes out.
  if (entered == patch.facet_of_plane[at(plane)]) return true;
  const Plane entry = plane_of(mesh, entered);
  if (depth <= entry.offset - entry.normal.dot(x) + slack) return true;
  // A plane that forms a valley with the facet of entry holds the point from the other side.
  return has_valley_towards(patch, plane, entered);
}

SurfacePatch mesh_patch_in(const CollisionMesh& mesh, const Aabb& box) {
  std::vector<int> triangles;
  mesh.tree().find(box, triangles);
  return PatchBuilder(mesh, triangles).build(&box);
}

SurfacePatch mesh_patch_of(const CollisionMesh& mesh, const std::vector<int>& triangles) {
  return PatchBuilder(mesh, triangles).build(nullptr);
}

void mesh_manifold(const CollisionMesh& mesh, const Pose& X_FM, const ConvexCore& core,
                   double horizon, const std::optional<ClosingMotion>& motion, Contacts& contacts) {
  std::optional<ClosingMotion> motion_M;
  const Pose X_MF = X_FM.inverse();
  if (motion) motion_M = motion->in_frame(X_MF.rotation, X_MF.translation);
  for (ContactPoint contact : find_contacts(mesh, in_frame(X_FM, core), horizon, motion_M)) {
    contact.position_W = X_FM * contact.position_W;
    contact.normal_W = X_FM.rotation * contact.normal_W;
    contacts.push_back(contact);
  }
}

Separation mesh_separation(const CollisionMesh& mesh, const Pose& X_FM, const ConvexCore& core) {
  // The distance is at most that of the core from one point of the mesh.
  const ConvexCore core_M = in_frame(X_FM, core);
  ConvexCore point;
  point.p = nearest_on_mesh(mesh, middle_of(core_M)).point;
  Separation nearest = separation({point, core_M});
  // The bound is the horizon of the search for contacts; the nearer of both results counts.
  const double bound = std::max(nearest.distance, 0.0) + slack_of(mesh, core);
  const Contacts contacts = find_contacts(mesh, core_M, bound, std::nullopt);
  if (!contacts.empty()) {
    const Separation least = least_gap(contacts);
    if (nearest.distance <= 0.0 || least.distance <= nearest.distance) nearest = least;
  }
  return {nearest.distance, X_FM.rotation * nearest.normal, X_FM * nearest.a, X_FM * nearest.b};
}

}  // namespace amontons::narrow_phase
