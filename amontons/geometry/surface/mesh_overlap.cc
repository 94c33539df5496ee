#include "amontons/geometry/surface/mesh_overlap.h"

#include "amontons/geometry/convex/convex_core.h"
#include "amontons/geometry/convex/manifold_reduction.h"
#include "amontons/geometry/convex/separation.h"
#include "amontons/geometry/surface/mesh_query.h"
#include "amontons/geometry/surface/surface_patch.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;
using Contacts = std::vector<ContactPoint>;

// Names of contacts that are of no pair of features begin here: regions, then inner vertices.
constexpr std::uint32_t kRegionFeature = 0xffff0000u;
constexpr std::uint32_t kInnerFeature = 0xfffe0000u;

/// Returns true if a point is in a box grown by a margin [m].
bool is_in(const Aabb& box, const Vector3d& x, double margin) {
  return (x.array() >= box.lower.array() - margin).all() &&
         (x.array() <= box.upper.array() + margin).all();
}

// Depth below the middle of a triangle that counts as off the surface, relative to the mesh [-].
constexpr double kOffSurface = 1e-6;

/// Returns a point of the inner mesh's solid just below a triangle at a vertex, in the inner frame.
Vector3d point_below(const CollisionMesh& inner, int vertex) {
  for (std::size_t t = 0; t < inner.triangles().size(); ++t) {
    const std::array<int, 3>& own = inner.triangles()[t];
    if (std::find(own.begin(), own.end(), vertex) == own.end()) continue;
    const Triangle triangle = inner.triangle(static_cast<int>(t));
    const auto facet = static_cast<std::size_t>(inner.facet_of(static_cast<int>(t)));
    return (triangle[0] + triangle[1] + triangle[2]) / 3.0 -
           kOffSurface * inner.bounding_radius() * inner.facets()[facet].normal;
  }
  return inner.vertex(vertex);
}

/// Returns true if a part of the inner mesh, whose surface does not cross the other one, is inside
/// the outer one. Vertices on the outer surface, as those of a body that lies on it, do not tell.
bool is_inside(const CollisionMesh& outer, const CollisionMesh& inner, const Pose& X_OI,
               const std::vector<int>& part) {
  for (const int v : part) {
    if (const std::optional<bool> side = outer.clearly_contains(X_OI * inner.vertex(v))) {
      return *side;
    }
  }
  return outer.contains(X_OI * point_below(inner, part.front()));
}

/// Appends the contacts that push a part of the inner mesh out of the outer one, along the way of
/// the vertex that is nearest to the outer surface; in the frame of the outer.
void push_out(const CollisionMesh& outer, const CollisionMesh& inner, const Pose& X_OI,
              const std::vector<int>& part, double slack, Contacts& contacts) {
  NearestOnMesh exit;
  exit.distance = std::numeric_limits<double>::infinity();
  Vector3d normal = Vector3d::Zero();
  for (const int v : part) {
    const Vector3d x = X_OI * inner.vertex(v);
    const NearestOnMesh nearest = nearest_on_mesh(outer, x);
    if (nearest.distance >= exit.distance) continue;
    exit = nearest;
    // On a valley between facets the way out is the direction to it.
    const Vector3d facet = outer.facets()[static_cast<std::size_t>(nearest.facet)].normal;
    const Vector3d way = nearest.point - x;
    const bool is_valley = way.cross(facet).norm() > SurfacePatch::kFlatAngle * way.norm();
    normal = is_valley ? Vector3d(way.normalized()) : facet;
  }
  Contacts found;
  for (const int v : part) {
    const Vector3d x = X_OI * inner.vertex(v);
    const double gap = normal.dot(x - exit.point);
    found.push_back({x - 0.5 * gap * normal, normal, gap,
                     kInnerFeature + (static_cast<std::uint32_t>(v) & 0xffffu)});
  }
  reduce_parallel(slack, found);
  contacts.insert(contacts.end(), found.begin(), found.end());
}

/// Appends the contacts of parts of one mesh inside the other, in A's frame.
void add_inner_parts(const CollisionMesh& A, const CollisionMesh& B, const Pose& X_AB, double slack,
                     Contacts& contacts) {
  for (const std::vector<int>& part : B.parts()) {
    if (is_inside(A, B, X_AB, part)) push_out(A, B, X_AB, part, slack, contacts);
  }
  const Pose X_BA = X_AB.inverse();
  Contacts of_A;
  for (const std::vector<int>& part : A.parts()) {
    if (is_inside(B, A, X_BA, part)) push_out(B, A, X_BA, part, slack, of_A);
  }
  for (ContactPoint contact : of_A) {
    contact.position_W = X_AB * contact.position_W;
    contact.normal_W = -(X_AB.rotation * contact.normal_W);
    contacts.push_back(contact);
  }
}

/// Gives a region whose normals cancel the normal and the depth of the hulls.
void take_from_hulls(const CollisionMesh& A, const CollisionMesh& B, const Pose& X_AB,
                     OverlapRegion& region) {
  const Separation hulls = separation(
      {make_core(A.hull(), Pose{}, Vector3d::Zero()), make_core(B.hull(), X_AB, Vector3d::Zero())});
  region.normal = hulls.normal;
  region.depth = std::max(-hulls.distance, 0.0);
}

}  // namespace

bool has_part_inside(const CollisionMesh& outer, const CollisionMesh& inner, const Pose& X_OI) {
  return std::any_of(inner.parts().begin(), inner.parts().end(),
                     [&](const auto& part) { return is_inside(outer, inner, X_OI, part); });
}

MeshOverlap::MeshOverlap(const CollisionMesh& A, const CollisionMesh& B, const Pose& X_AB)
    : A_(A),
      B_(B),
      X_AB_(X_AB),
      may_overlap_(A.tree().bounds().overlaps(box_around(B.tree().bounds(), X_AB))) {
  if (!may_overlap_) return;
  const std::vector<Crossing> crossings = find_crossings(A, B, X_AB);
  if (!crossings.empty()) regions_ = find_overlap_regions(A, B, X_AB, crossings);
  for (OverlapRegion& region : regions_) {
    if (region.normal.isZero(0.0)) take_from_hulls(A, B, X_AB, region);
  }
}

double MeshOverlap::depth() const {
  double deepest = 0.0;
  for (const OverlapRegion& region : regions_) deepest = std::max(deepest, region.depth);
  return deepest;
}

void MeshOverlap::settle(double slack, Contacts& contacts) const {
  const auto is_of = [slack](const ContactPoint& contact, const OverlapRegion& region) {
    return contact.gap >= -region.depth - slack && is_in(region.box, contact.position_W, slack);
  };
  std::erase_if(contacts, [&](const ContactPoint& contact) {
    return contact.gap < -slack &&
           std::none_of(regions_.begin(), regions_.end(),
                        [&](const OverlapRegion& region) { return is_of(contact, region); });
  });
  if (regions_.empty()) {
    if (may_overlap_) add_inner_parts(A_, B_, X_AB_, slack, contacts);
    return;
  }
  for (std::size_t k = 0; k < regions_.size(); ++k) {
    const bool is_explained =
        std::any_of(contacts.begin(), contacts.end(), [&](const ContactPoint& contact) {
          return contact.gap <= 0.0 && is_of(contact, regions_[k]);
        });
    if (is_explained) continue;
    contacts.push_back({regions_[k].middle, regions_[k].normal, -regions_[k].depth,
                        kRegionFeature + static_cast<std::uint32_t>(k)});
  }
}

}  // namespace amontons::narrow_phase
