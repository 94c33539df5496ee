#include "amontons/geometry/surface/mesh_overlap.h"

#include "amontons/geometry/convex/convex_core.h"
#include "amontons/geometry/convex/manifold_reduction.h"
#include "amontons/geometry/convex/separation.h"
#include "amontons/geometry/shapes/triangle_distance.h"
#include "amontons/geometry/surface/mesh_query.h"
#include "amontons/geometry/surface/mesh_way_out.h"
#include "amontons/geometry/surface/surface_contact.h"
#include "amontons/geometry/surface/surface_patch.h"
#include "amontons/geometry/surface/way_out.h"

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
constexpr std::uint32_t kWayOutFeature = 0xfffd0000u;

/// Returns true if a point is in a box grown by a margin [m].
bool is_in(const Aabb& box, const Vector3d& x, double margin) {
  return (x.array() >= box.lower.array() - margin).all() &&
         (x.array() <= box.upper.array() + margin).all();
}

// Depth below the middle of a triangle that counts as off the surface, relative to the mesh [-].
constexpr double kOffSurface = 1e-5;

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

/// Returns true if a point is within a distance of a mesh's surface [m].
bool is_on_surface(const CollisionMesh& mesh, const Vector3d& x, double distance) {
  const double limit = distance * distance;
  bool is_near = false;
  mesh.tree().visit_nearest(x, limit, [&](int t) {
    is_near |= (nearest_in_triangle(mesh.triangle(t), x) - x).squaredNorm() <= limit;
    return is_near ? 0.0 : limit;
  });
  return is_near;
}

/// Says on which side of the outer surface a part of the inner mesh is: inside or not, by its first
/// vertex that is off that surface; nothing if all are on it, as those of a copy in one pose.
std::optional<bool> side_of(const CollisionMesh& outer, const CollisionMesh& inner,
                            const Pose& X_OI, const std::vector<int>& part) {
  const double slack = kSameContact * std::min(outer.bounding_radius(), inner.bounding_radius());
  for (const int v : part) {
    const Vector3d x = X_OI * inner.vertex(v);
    const std::optional<bool> side = outer.clearly_contains(x);
    if (side && !is_on_surface(outer, x, slack)) return side;
  }
  return std::nullopt;
}

/// Returns true if a part of the inner mesh, whose surface does not cross the other one, is inside
/// the outer one. Vertices on the outer surface, as those of a body that lies on it, do not tell.
bool is_inside(const CollisionMesh& outer, const CollisionMesh& inner, const Pose& X_OI,
               const std::vector<int>& part) {
  const std::optional<bool> side = side_of(outer, inner, X_OI, part);
  return side ? *side : outer.contains(X_OI * point_below(inner, part.front()));
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

std::vector<const std::vector<int>*> parts_inside(const CollisionMesh& outer,
                                                  const CollisionMesh& inner, const Pose& X_OI) {
  std::vector<const std::vector<int>*> inside;
  for (const std::vector<int>& part : inner.parts()) {
    if (is_inside(outer, inner, X_OI, part)) inside.push_back(&part);
  }
  return inside;
}

bool coincide(const CollisionMesh& A, const CollisionMesh& B, const Pose& X_AB) {
  const auto any_on = [](const CollisionMesh& outer, const CollisionMesh& inner, const Pose& X_OI) {
    return std::any_of(inner.parts().begin(), inner.parts().end(), [&](const auto& part) {
      return !side_of(outer, inner, X_OI, part) &&
             outer.contains(X_OI * point_below(inner, part.front()));
    });
  };
  return any_on(A, B, X_AB) || any_on(B, A, X_AB.inverse());
}

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
  if (crossings.empty() || coincide(A, B, X_AB)) return;
  regions_ = find_overlap_regions(A, B, X_AB, crossings);
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
  if (!may_overlap_) return;
  const std::vector<OverlapRegion> crossing = crossing_regions(slack);
  if (crossing.empty()) add_inner_parts(A_, B_, X_AB_, slack, contacts);
  for (std::size_t k = 0; k < regions_.size(); ++k) {
    const bool is_explained =
        std::any_of(contacts.begin(), contacts.end(), [&](const ContactPoint& contact) {
          return contact.gap <= 0.0 && is_of(contact, regions_[k]);
        });
    if (is_explained) continue;
    contacts.push_back({regions_[k].middle, regions_[k].normal, -regions_[k].depth,
                        kRegionFeature + static_cast<std::uint32_t>(k)});
  }
  const auto way = better_way_out(mesh_parting(A_, B_, X_AB_, crossing, slack), contacts);
  if (!way) return;
  drop_replaced(*way, slack, contacts);
  push_along(*way, crossing, slack, contacts);
}

std::vector<OverlapRegion> MeshOverlap::crossing_regions(double slack) const {
  std::vector<OverlapRegion> crossing = regions_;
  std::erase_if(crossing, [slack](const OverlapRegion& region) { return region.is_touch(slack); });
  return crossing;
}

void MeshOverlap::push_along(const WayOut& way, const std::vector<OverlapRegion>& regions,
                             double slack, Contacts& contacts) const {
  std::vector<Vector3d> points;
  for (const OverlapRegion& region : regions) {
    points.insert(points.end(), region.of_A.begin(), region.of_A.end());
    points.insert(points.end(), region.of_B.begin(), region.of_B.end());
  }
  // Without regions a part is inside the other mesh.
  const auto add_parts = [&](const CollisionMesh& outer, const CollisionMesh& inner,
                             const Pose& X_OI, const Pose& X_AI) {
    for (const std::vector<int>* part : parts_inside(outer, inner, X_OI)) {
      for (const int v : *part) points.push_back(X_AI * inner.vertex(v));
    }
  };
  if (points.empty()) add_parts(A_, B_, X_AB_, X_AB_);
  if (points.empty()) add_parts(B_, A_, X_AB_.inverse(), Pose{});
  // All points have one way to go, so that B does not turn. Some far from each other suffice.
  Contacts found;
  for (const Vector3d& x : points) found.push_back({x, way.normal, -way.length, kWayOutFeature});
  reduce_parallel(slack, found);
  for (std::size_t k = 0; k < found.size(); ++k) {
    found[k].feature += static_cast<std::uint32_t>(k);
    contacts.push_back(found[k]);
  }
}

}  // namespace amontons::narrow_phase
