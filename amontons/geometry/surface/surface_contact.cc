#include "amontons/geometry/surface/surface_contact.h"

#include "amontons/geometry/convex/convex_manifold.h"
#include "amontons/geometry/convex/half_space_contact.h"
#include "amontons/geometry/convex/manifold_reduction.h"
#include "amontons/geometry/convex/separation.h"
#include "amontons/geometry/convex/support_feature.h"
#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "amontons/geometry/surface/level_faces.h"
#include "amontons/geometry/surface/passing_face.h"
#include "amontons/math/stop.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;
using Contacts = std::vector<ContactPoint>;

// Ids of contacts at edges and corners of the surface begin here: those of faces are ids of B.
constexpr std::uint32_t kEdgeFeature = 0x40000000u;
constexpr std::uint32_t kCornerFeature = 0x80000000u;
// Bits in which the k-th face that claims one point of B writes its k.
constexpr int kClaimShift = 14;
constexpr std::uint32_t kClaimMask = 0xffu << kClaimShift;

/// Finds the contacts of one surface and one core.
class SurfaceTouch {
 public:
  SurfaceTouch(const SurfacePatch& patch, const ConvexCore& core, double horizon, double slack,
               const SurfaceDepth& depth, const std::optional<ClosingMotion>& motion)
      : patch_(patch),
        core_(core),
        horizon_(horizon),
        slack_(slack),
        depth_(depth),
        motion_(motion) {}

  Contacts find() {
    // Triangles are in the order of their planes, and those of one plane touch together.
    const std::vector<SurfacePatch::Triangle>& triangles = patch_.triangles;
    for (std::size_t first = 0, next = 0; first < triangles.size(); first = next) {
      while (next < triangles.size() && triangles[next].plane == triangles[first].plane) ++next;
      touch_plane(first, next);
    }
    drop_hidden_faces();
    for (const SurfacePatch::Edge& edge : patch_.edges) touch_edge(edge);
    for (const SurfacePatch::Corner& corner : patch_.corners) touch_corner(corner);
    touch_leaning_faces();
    reduce_parallel(slack_, contacts_);
    return contacts_;
  }

 private:
  /// Holds a point of B that a face holds back, and the point of the face nearest to it.
  struct FaceContact {
    ContactPoint contact;
    Vector3d nearest;
  };

  /// Returns true if two contacts have the same normal and position within their tolerances.
  bool is_same(const ContactPoint& a, const ContactPoint& b) const {
    return (a.normal_W - b.normal_W).squaredNorm() <
               SurfacePatch::kFlatAngle * SurfacePatch::kFlatAngle &&
           (a.position_W - b.position_W).squaredNorm() < slack_ * slack_;
  }

  /// Adds a contact unless an equal one is known.
  void add(const ContactPoint& contact) {
    const auto same = [&](const ContactPoint& other) { return is_same(contact, other); };
    if (std::none_of(contacts_.begin(), contacts_.end(), same)) contacts_.push_back(contact);
  }

  /// Adds the contact of a ridge or corner, or that of the face along which the core passes it.
  void add_or_pass(const ContactPoint& contact) {
    std::optional<ContactPoint> passing;
    if (motion_) passing = passing_contact(patch_, core_, contact, *motion_, slack_);
    if (!passing || passing->gap <= horizon_) add(passing.value_or(contact));
  }

  /// Returns the point of B without its ball.
  Vector3d point_of_B(const ContactPoint& contact) const {
    return contact.position_W + (0.5 * contact.gap + core_.radius) * contact.normal_W;
  }

  /// Adds the manifold that triangles [first, last) of one plane share.
  void touch_plane(std::size_t first, std::size_t last) {
    check_stop();
    const int index = patch_.triangles[first].plane;
    const Plane& plane = patch_.planes[static_cast<std::size_t>(index)];
    if (depth_.needs_middle_in_front && plane.normal.dot(depth_.middle) < plane.offset - slack_) {
      return;
    }
    found_.clear();
    half_space_manifold(plane, core_, horizon_, found_);
    if (found_.empty()) return;
    std::vector<FaceContact> holds_back;
    for (const ContactPoint& contact : found_) try_contact(contact, first, last, holds_back);
    // A polyhedron's manifold has eight of all points near the plane. Where some of them are beside
    // the triangles, others may be on them.
    if (core_.type == CoreType::Polyhedron && holds_back.size() < found_.size()) {
      holds_back.clear();
      offer_all_vertices(plane, first, last, holds_back);
    }
    for (const FaceContact& claim : holds_back) {
      const auto same = [&](const FaceContact& other) {
        return is_same(claim.contact, other.contact);
      };
      if (std::none_of(claims_.begin(), claims_.end(), same)) claims_.push_back(claim);
    }
  }

  /// Adds the contact to the claims if one of the triangles claims its point.
  void try_contact(const ContactPoint& contact, std::size_t first, std::size_t last,
                   std::vector<FaceContact>& holds_back) const {
    const Vector3d x = point_of_B(contact);
    const double depth = -(contact.gap + core_.radius);
    const Vector3d foot = x + depth * contact.normal_W;
    for (std::size_t t = first; t < last; ++t) {
      const SurfacePatch::Triangle& triangle = patch_.triangles[t];
      if (!patch_.holds_back(triangle, x, slack_, depth_.came_through_surface)) continue;
      if (depth > slack_ && depth_.came_through_surface &&
          !depth_.came_through_surface(triangle.plane, x, depth)) {
        return;
      }
      if (!lies_beyond(borders_at(patch_, t, foot, slack_), core_, slack_)) {
        holds_back.push_back({contact, patch_.nearest_in(triangle, x)});
      }
      return;
    }
  }

  /// Tries all vertices of a polyhedron within the horizon of the plane.
  void offer_all_vertices(const Plane& plane, std::size_t first, std::size_t last,
                          std::vector<FaceContact>& holds_back) const {
    const std::vector<Vector3d>& vertices = core_.polyhedron->vertices();
    const Vector3d n_G = core_.R.transpose() * plane.normal;
    const double base = plane.normal.dot(core_.p) - plane.offset;
    for (std::size_t v = 0; v < vertices.size(); ++v) {
      if (n_G.dot(vertices[v]) + base > horizon_) continue;
      const Vector3d x = core_.R * vertices[v] + core_.p;
      const double gap = plane.normal.dot(x) - plane.offset;
      try_contact(
          {x - 0.5 * gap * plane.normal, plane.normal, gap, vertex_of_B(static_cast<int>(v))},
          first, last, holds_back);
    }
  }

  /// Keeps of the claims to one point those that describe the solid there. Inside a convex part of
  /// the solid the distance is that of the nearest face. In a valley every face counts, and so it
  /// does for a point (or center of a ball) in front of the surface. The k-th face that claims the
  /// same point of B gets its own name.
  void drop_hidden_faces() {
    // A nearer face prevails if its nearest point lies behind this plane: the solid is convex
    // there.
    const auto is_hidden = [&](const FaceContact& claim) {
      check_stop();
      const ContactPoint& contact = claim.contact;
      if (contact.gap + core_.radius >= 0.0) return false;
      const Vector3d foot = contact.position_W - 0.5 * contact.gap * contact.normal_W;
      return std::any_of(claims_.begin(), claims_.end(), [&](const FaceContact& other) {
        return other.contact.feature == contact.feature && other.contact.gap > contact.gap &&
               other.contact.gap + core_.radius <= slack_ &&
               contact.normal_W.dot(other.nearest - foot) < -slack_;
      });
    };
    for (const FaceContact& claim : claims_) {
      if (!is_hidden(claim)) contacts_.push_back(claim.contact);
    }
    // Equal points follow each other and are numbered.
    std::stable_sort(
        contacts_.begin(), contacts_.end(),
        [](const ContactPoint& a, const ContactPoint& b) { return a.feature < b.feature; });
    std::uint32_t holds_back = 0;
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
      const bool again = k > 0 && (contacts_[k - 1].feature & ~kClaimMask) == contacts_[k].feature;
      holds_back = again ? holds_back + 1 : 0;
      contacts_[k].feature |= (holds_back << kClaimShift) & kClaimMask;
    }
  }

  /// Adds the contacts of a ridge whose normals lie between those of its sides.
  void touch_edge(const SurfacePatch::Edge& edge) {
    check_stop();
    found_.clear();
    convex_manifold({edge.core(), core_}, horizon_, nullptr, found_);
    for (ContactPoint& contact : found_) {
      if (!edge.may_touch(contact.normal_W) || is_beyond(edge, contact)) continue;
      // The name: 15 bits of the edge, 14 of the feature of B, 1 that says on which side of it.
      contact.feature = kEdgeFeature | ((edge.id & 0x7fffu) << 15) | (contact.feature & 0x3fffu) |
                        ((contact.feature >> 28) & 1u) << 14;
      add_or_pass(contact);
    }
  }

  /// Returns true if B lies beyond a ridge that it is level with, or the ridge ends at the border
  /// of a face of B that it is level with.
  bool is_beyond(const SurfacePatch::Edge& edge, const ContactPoint& contact) const {
    const Vector3d& n = contact.normal_W;
    if (lies_beyond(borders_at(edge, n), core_, slack_)) return true;
    const Vector3d x = contact.position_W - 0.5 * contact.gap * n;
    const std::optional<Vector3d> way = way_from_end(edge, x, slack_);
    return way && leads_away(borders_at(face_of_B(n), -n, x, slack_), *way);
  }

  /// Returns the face of B that the surface meets along n; an edge or corner where there is none.
  SupportFeature face_of_B(const Vector3d& n) const {
    return support_feature(core_, -n, {kParallelSine, 0.0});
  }

  /// Adds the contact of a corner if the normal lies in its cone.
  void touch_corner(const SurfacePatch::Corner& corner) {
    check_stop();
    ConvexCore point;
    point.p = corner.position;
    const Separation nearest = separation({point, core_});
    if (nearest.distance > horizon_ || !patch_.may_touch(corner, nearest.normal)) return;
    const Vector3d& n = nearest.normal;
    if (lies_beyond(borders_at(face_of_B(n), -n, corner.position, slack_), patch_, corner, n))
      return;
    add_or_pass(
        {0.5 * (nearest.a + nearest.b), nearest.normal, nearest.distance, corner_feature(corner)});
  }

  /// Adds the far corners and edges of faces that lean a little against a face of B. Next to B lies
  /// one of their corners or edges, and the others may land within the step: as between convex
  /// shapes all belong to one manifold.
  void touch_leaning_faces() {
    std::vector<Vector3d> normals;
    for (const ContactPoint& contact : contacts_) {
      const Vector3d& n = contact.normal_W;
      const bool known = std::any_of(normals.begin(), normals.end(), [&n](const Vector3d& other) {
        return (n - other).squaredNorm() < SurfacePatch::kFlatAngle * SurfacePatch::kFlatAngle;
      });
      if (!known) normals.push_back(n);
    }
    for (const Vector3d& n : normals) {
      check_stop();
      const SupportFeature face = face_of_B(n);
      if (face.count < 3) continue;
      for (const SurfacePatch::Corner& corner : patch_.corners) {
        if (!patch_.may_touch(corner, n, kManifoldSine)) continue;
        if (is_over(face, n, corner.position)) {
          add_above(face, n, corner.position, corner_feature(corner));
        }
      }
      for (const SurfacePatch::Edge& edge : patch_.edges) touch_leaning_edge(face, n, edge);
    }
  }

  /// Adds the ends of the part of a ridge over a face of B that it leans against.
  void touch_leaning_edge(const SupportFeature& face, const Vector3d& n,
                          const SurfacePatch::Edge& edge) {
    if (!edge.may_touch(n, kManifoldSine)) return;
    // The part that the sides of the face leave.
    const Vector3d way = edge.head - edge.tail;
    double first = 0.0, last = 1.0;
    for (int k = 0; k < face.count; ++k) {
      const auto [tail, along] = side_of(face, k);
      const Vector3d outwards = n.cross(along);
      const double start = outwards.dot(edge.tail - tail), slope = outwards.dot(way);
      if (slope == 0.0) {
        if (start > 0.0) return;
        continue;
      }
      (slope > 0.0 ? last : first) =
          slope > 0.0 ? std::min(last, -start / slope) : std::max(first, -start / slope);
    }
    if (!(first < last)) return;
    const std::uint32_t name = kEdgeFeature | ((edge.id & 0x7fffu) << 15);
    add_above(face, n, edge.tail + first * way, name);
    add_above(face, n, edge.tail + last * way, name | 1u << 14);
  }

  /// Adds the contact of a point of the surface with a face of B, unless it is farther than the
  /// horizon. Those inside B are found by themselves.
  void add_above(const SupportFeature& face, const Vector3d& n, const Vector3d& x,
                 std::uint32_t feature) {
    const double gap = n.dot(face.vertices[0].position - x);
    if (gap <= horizon_ && gap >= -slack_) add({x + 0.5 * gap * n, n, gap, feature});
  }

  /// Returns the start and the way of a side of a face, counterclockwise about its normal.
  static std::pair<Vector3d, Vector3d> side_of(const SupportFeature& face, int k) {
    const Vector3d& tail = face.vertices[static_cast<std::size_t>(k)].position;
    return {tail, face.vertices[static_cast<std::size_t>((k + 1) % face.count)].position - tail};
  }

  /// Returns true if a point, seen along n, is over a face of B.
  bool is_over(const SupportFeature& face, const Vector3d& n, const Vector3d& x) const {
    for (int k = 0; k < face.count; ++k) {
      const auto [tail, along] = side_of(face, k);
      if (n.dot(along.cross(x - tail)) > slack_ * along.norm()) return false;
    }
    return true;
  }

  static std::uint32_t corner_feature(const SurfacePatch::Corner& corner) {
    return kCornerFeature | (corner.id & 0x7fffffffu);
  }

  const SurfacePatch& patch_;
  const ConvexCore& core_;
  double horizon_, slack_;
  const SurfaceDepth& depth_;
  const std::optional<ClosingMotion>& motion_;
  std::vector<FaceContact> claims_;
  Contacts found_, contacts_;
};

}  // namespace

Contacts surface_manifold(const SurfacePatch& patch, const ConvexCore& core, double horizon,
                          double slack, const SurfaceDepth& depth,
                          const std::optional<ClosingMotion>& motion) {
  return SurfaceTouch(patch, core, horizon, slack, depth, motion).find();
}

bool are_of_one_point(std::uint32_t feature_a, std::uint32_t feature_b) {
  constexpr std::uint32_t kNoFace = kEdgeFeature | kCornerFeature;
  return ((feature_a | feature_b) & kNoFace) == 0 &&
         (feature_a & ~kClaimMask) == (feature_b & ~kClaimMask);
}

Separation least_gap(const Contacts& contacts) {
  const ContactPoint& least =
      *std::min_element(contacts.begin(), contacts.end(),
                        [](const ContactPoint& a, const ContactPoint& b) { return a.gap < b.gap; });
  const Vector3d half = 0.5 * least.gap * least.normal_W;
  return {least.gap, least.normal_W, least.position_W - half, least.position_W + half};
}

}  // namespace amontons::narrow_phase
