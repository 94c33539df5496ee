#include "amontons/geometry/surface/surface_pair.h"

#include "amontons/geometry/convex/support_feature.h"
#include "amontons/geometry/shapes/feature_list.h"
#include "amontons/geometry/surface/level_faces.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;
using Contacts = std::vector<ContactPoint>;
using Edge = SurfacePatch::Edge;
using Corner = SurfacePatch::Corner;

/// Says in the first two bits of a contact's name which features touch.
enum class Kind : std::uint32_t { CornerOfA = 0, CornerOfB = 1, Ridges = 2, Apart = 3 };

/// Returns the name of a contact: its kind and a hash of both features.
std::uint32_t name(Kind kind, std::uint32_t id_a, std::uint32_t id_b) {
  return static_cast<std::uint32_t>(kind) << 30 | ((id_a * 40503u + id_b) & 0x3fffffffu);
}

// Directions of edges closer to parallel than this have no useful common normal [-]: sine squared.
constexpr double kParallelSquared = 1e-12;
// Cosine of the angle by which a face may lean from the normals of a corner on it [-].
const double kManifoldCosine = std::sqrt(1.0 - kManifoldSine * kManifoldSine);

/// Returns the box around a feature.
Aabb box_of(const SurfacePatch::Triangle& triangle) { return Aabb::around(triangle.corner); }
Aabb box_of(const Edge& edge) { return Aabb::around(std::array{edge.tail, edge.head}); }
Aabb box_of(const Corner& corner) { return {corner.position, corner.position}; }

/// Holds features of one kind as they are found, and as they search for those that they touch.
struct FeatureSet {
  std::vector<Aabb> boxes;
  std::vector<FeatureBounds> bounds;
  FeatureList list;
};

/// Returns the features of a patch.
/// @param cone  of the normals along which a feature may touch.
template <class Feature, class Cone>
FeatureSet features_of(const std::vector<Feature>& features, const Cone& cone) {
  std::vector<Aabb> boxes;
  std::vector<FeatureBounds> bounds;
  boxes.reserve(features.size());
  bounds.reserve(features.size());
  for (const Feature& feature : features) {
    boxes.push_back(box_of(feature));
    bounds.emplace_back(boxes.back(), cone(feature).bounds());
  }
  FeatureList list(bounds);
  return {std::move(boxes), std::move(bounds), std::move(list)};
}
FeatureSet edges_of(const SurfacePatch& patch) {
  return features_of(patch.edges,
                     [](const Edge& edge) { return NormalCone::of_edge(edge.left, edge.right); });
}
FeatureSet corners_of(const SurfacePatch& patch) {
  return features_of(patch.corners, [](const Corner& corner) { return corner.cone; });
}

/// Finds the contacts of two surfaces.
class PairTouch {
 public:
  PairTouch(const SurfaceSide& A, const SurfaceSide& B, double horizon, double slack,
            const std::optional<ClosingMotion>& motion)
      : A_(A),
        B_(B),
        horizon_(horizon),
        slack_(slack),
        edges_A_(edges_of(A.patch)),
        edges_B_(edges_of(B.patch)),
        corners_A_(corners_of(A.patch)),
        corners_B_(corners_of(B.patch)) {
    if (!motion) return;
    of_A_ = RoundedMotion(motion->reversed());
    of_B_ = RoundedMotion(*motion);
  }

  Contacts find() {
    touch_faces(A_, B_, of_B_, 1.0);
    touch_faces(B_, A_, of_A_, -1.0);
    const RoundedReach overlapping({horizon_, horizon_, 2.0 * slack_});
    for (std::size_t a = 0; a < A_.patch.edges.size(); ++a) {
      for (const int b : near(edges_B_, edges_A_, a, of_A_, overlapping)) {
        touch_ridges(A_.patch.edges[a], B_.patch.edges[at(b)]);
      }
    }
    touch_apart();
    return contacts_;
  }

 private:
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }

  /// Returns the features that may touch one of the others, which are of the other surface, in
  /// increasing order. They are valid until the next call.
  /// @param of_others  motion of the other surface against that of the features.
  const std::vector<int>& near(const FeatureSet& features, const FeatureSet& others,
                               std::size_t other, const std::optional<RoundedMotion>& of_others,
                               const RoundedReach& reach) {
    near_.clear();
    const FeatureBounds facing = others.bounds[other].facing();
    if (!features.list.may_touch(facing, reach)) return near_;
    // Contacts lie halfway across gaps.
    std::optional<FeatureVelocities> velocities;
    if (of_others) velocities.emplace(others.boxes[other].grown(0.5 * horizon_), *of_others);
    features.list.find(facing, reach, velocities ? &*velocities : nullptr, near_);
    return near_;
  }

  /// Adds a contact unless one with the same normal and position is known.
  void add(const ContactPoint& contact) {
    const bool known =
        std::any_of(contacts_.begin(), contacts_.end(), [&](const ContactPoint& other) {
          return (contact.normal_W - other.normal_W).norm() < SurfacePatch::kFlatAngle &&
                 (contact.position_W - other.position_W).squaredNorm() < slack_ * slack_;
        });
    if (!known) contacts_.push_back(contact);
  }

  /// Adds the contacts of corners of one surface with faces of the other.
  /// @param of_other  motion of the surface with the corners.
  /// @param sign      +1 if the faces are A's.
  void touch_faces(const SurfaceSide& face, const SurfaceSide& other,
                   const std::optional<RoundedMotion>& of_other, double sign) {
    const auto cone_of_face = [&face](const SurfacePatch::Triangle& triangle) {
      return NormalCone::of_face(face.patch.planes[at(triangle.plane)].normal);
    };
    // The far corners of a slightly leaning face belong to the manifold too.
    const auto grown_cone = [](const Corner& corner) {
      return corner.cone.grown(kManifoldCosine, kManifoldSine);
    };
    const FeatureSet triangles = features_of(face.patch.triangles, cone_of_face);
    const FeatureSet corners = features_of(other.patch.corners, grown_cone);
    // A corner is pushed out by the depth at most, from beside a triangle by as much.
    const RoundedReach reach({horizon_, face.deepest + slack_, face.deepest + 2.0 * slack_});
    for (std::size_t k = 0; k < other.patch.corners.size(); ++k) {
      const Corner& corner = other.patch.corners[k];
      const NormalCone cone = grown_cone(corner);
      int claimed = -1;
      for (const int t : near(triangles, corners, k, of_other, reach)) {
        const SurfacePatch::Triangle& triangle = face.patch.triangles[at(t)];
        const Plane& plane = face.patch.planes[at(triangle.plane)];
        const double gap = plane.normal.dot(corner.position) - plane.offset;
        if (gap > horizon_ || triangle.plane == claimed) continue;
        if (!cone.contains(-plane.normal)) continue;
        if (!other.patch.may_touch(corner, -plane.normal, kManifoldSine)) continue;
        if (!face.patch.holds_back(triangle, corner.position, slack_, face.came_through_surface))
          continue;
        if (gap < -slack_ && !face.came_through_surface(triangle.plane, corner.position, -gap))
          continue;
        const Vector3d foot = corner.position - gap * plane.normal;
        const double beside = (foot - face.patch.nearest_in(triangle, foot)).norm();
        if (beside > face.deepest + slack_) continue;
        if (lies_beyond(borders_at(face.patch, at(t), foot, slack_), other.patch, corner,
                        plane.normal)) {
          continue;
        }
        claimed = triangle.plane;
        const auto facet =
            static_cast<std::uint32_t>(face.patch.facet_of_plane[at(triangle.plane)]);
        add({corner.position - 0.5 * gap * plane.normal, sign * plane.normal, gap,
             name(sign > 0.0 ? Kind::CornerOfB : Kind::CornerOfA, corner.id, facet)});
      }
    }
  }

  /// Returns true if an edge ends at a ridge, and leads away from the face there with the normal n.
  /// @param x  of the edge, where it crosses the ridge.
  bool ends_beyond(const Edge& edge, const Vector3d& x, const Edge& ridge,
                   const Vector3d& n) const {
    const std::optional<Vector3d> way = way_from_end(edge, x, slack_);
    return way && leads_away(borders_at(ridge, n), *way);
  }

  /// Adds the contact of two ridges that cross, seen along their common normal.
  void touch_ridges(const Edge& a, const Edge& b) {
    const Vector3d u = a.head - a.tail, v = b.head - b.tail;
    Vector3d n = u.cross(v);
    const double squared = n.squaredNorm();
    if (squared <= kParallelSquared * u.squaredNorm() * v.squaredNorm()) return;
    // The lines are nearest where a.tail + s u and b.tail + t v differ by a multiple of n = u x v.
    const Vector3d w = b.tail - a.tail;
    const double s = w.cross(v).dot(n) / squared;
    const double t = w.cross(u).dot(n) / squared;
    const double slack_u = slack_ / u.norm(), slack_v = slack_ / v.norm();
    if (s < -slack_u || s > 1.0 + slack_u || t < -slack_v || t > 1.0 + slack_v) return;
    n /= std::sqrt(squared);
    const Vector3d on_a = a.tail + s * u, on_b = b.tail + t * v;
    // The normal may have either sign; it must lie in the cones of both ridges.
    for (const double sign : {1.0, -1.0}) {
      const double gap = sign * n.dot(on_b - on_a);
      if (gap > horizon_ || !a.may_touch(sign * n) || !b.may_touch(-sign * n)) continue;
      if (ends_beyond(b, on_b, a, sign * n) || ends_beyond(a, on_a, b, -sign * n)) continue;
      // Where ridges overlap, each is inside the other surface.
      if (gap < -slack_ && !(A_.contains(on_b) && B_.contains(on_a))) continue;
      add({0.5 * (on_a + on_b), sign * n, gap, name(Kind::Ridges, a.id, b.id)});
      return;
    }
  }

  /// Adds the nearest points of two features that are apart, along their own direction.
  template <class FeatureA, class FeatureB>
  void touch_apart(const Vector3d& on_a, const Vector3d& on_b, const FeatureA& may_touch_A,
                   const FeatureB& may_touch_B, std::uint32_t id) {
    const Vector3d offset = on_b - on_a;
    const double distance = offset.norm();
    if (distance <= slack_ || distance > horizon_) return;
    const Vector3d n = offset / distance;
    if (may_touch_A(n) && may_touch_B(Vector3d(-n))) add({0.5 * (on_a + on_b), n, distance, id});
  }

  /// Returns the point of an edge nearest to x.
  static Vector3d foot_on(const Edge& edge, const Vector3d& x) {
    const Vector3d along = edge.head - edge.tail;
    return edge.tail + std::clamp(along.dot(x - edge.tail) / along.squaredNorm(), 0.0, 1.0) * along;
  }

  /// Adds the pairs of corners and of corners with ridges; their normals lie in the cones of both.
  void touch_apart() {
    // Tests of normals: the cone of a corner, and the wedge between the sides of a ridge.
    const auto cone = [](const SurfacePatch& patch, const Corner& corner) {
      return [&](const Vector3d& n) { return patch.may_touch(corner, n); };
    };
    const auto wedge = [](const Edge& edge) {
      return [&](const Vector3d& n) { return edge.may_touch(n); };
    };
    const RoundedReach reach({horizon_, 0.0, 2.0 * slack_});
    for (std::size_t i = 0; i < A_.patch.corners.size(); ++i) {
      const Corner& a = A_.patch.corners[i];
      for (const int k : near(corners_B_, corners_A_, i, of_A_, reach)) {
        const Corner& b = B_.patch.corners[at(k)];
        touch_apart(a.position, b.position, cone(A_.patch, a), cone(B_.patch, b),
                    name(Kind::Apart, a.id, b.id));
      }
      for (const int k : near(edges_B_, corners_A_, i, of_A_, reach)) {
        const Edge& b = B_.patch.edges[at(k)];
        touch_apart(a.position, foot_on(b, a.position), cone(A_.patch, a), wedge(b),
                    name(Kind::Apart, a.id, b.id + 0x10000u));
      }
    }
    for (std::size_t i = 0; i < B_.patch.corners.size(); ++i) {
      const Corner& b = B_.patch.corners[i];
      for (const int k : near(edges_A_, corners_B_, i, of_B_, reach)) {
        const Edge& a = A_.patch.edges[at(k)];
        touch_apart(foot_on(a, b.position), b.position, wedge(a), cone(B_.patch, b),
                    name(Kind::Apart, a.id + 0x10000u, b.id));
      }
    }
  }

  const SurfaceSide& A_;
  const SurfaceSide& B_;
  double horizon_, slack_;
  FeatureSet edges_A_, edges_B_, corners_A_, corners_B_;
  // Motion of each surface against the other.
  std::optional<RoundedMotion> of_A_, of_B_;
  std::vector<int> near_;
  Contacts contacts_;
};

}  // namespace

Contacts surface_pair_manifold(const SurfaceSide& A, const SurfaceSide& B, double horizon,
                               double slack, const std::optional<ClosingMotion>& motion) {
  return PairTouch(A, B, horizon, slack, motion).find();
}

SurfacePatch transformed(const Pose& X, SurfacePatch patch) {
  for (Plane& plane : patch.planes) {
    plane.normal = X.rotation * plane.normal;
    plane.offset += plane.normal.dot(X.translation);
  }
  for (SurfacePatch::Triangle& triangle : patch.triangles) {
    for (Vector3d& corner : triangle.corner) corner = X * corner;
  }
  for (Edge& edge : patch.edges) {
    edge.tail = X * edge.tail;
    edge.head = X * edge.head;
    edge.left = X.rotation * edge.left;
    edge.right = X.rotation * edge.right;
  }
  for (Corner& corner : patch.corners) {
    corner.position = X * corner.position;
    corner.cone.axis = X.rotation * corner.cone.axis;
  }
  for (Vector3d& spoke : patch.spokes) spoke = X.rotation * spoke;
  return patch;
}

}  // namespace amontons::narrow_phase
