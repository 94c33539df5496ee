#include "amontons/geometry/surface/overlap_region.h"

#include "amontons/geometry/surface/surface_contact.h"
#include "amontons/math/disjoint_sets.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;

// Share of the areas of all loops below which their sum has no direction [-].
constexpr double kCancelled = 0.3;
// Facets of each mesh, those that cross most, along whose normals a region may part.
constexpr std::size_t kMaxFacets = 8;
// Share of the depth along the mean normal below which that along a facet's counts [-].
constexpr double kFarLess = 0.5;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

std::size_t root_of(DisjointSets& sets, std::size_t k) {
  return static_cast<std::size_t>(sets.root(static_cast<int>(k)));
}
void join(DisjointSets& sets, std::size_t i, std::size_t j) {
  sets.join(static_cast<int>(i), static_cast<int>(j));
}

/// Describes one of both meshes: where it is, and which of its triangles cross the other.
struct Side {
  const CollisionMesh& own;
  const CollisionMesh& other;
  Pose to_A, to_other;
  std::map<int, std::vector<std::size_t>> crossings_of;  // by triangle

  /// Returns the crossings of a triangle; empty for one that crosses nothing.
  const std::vector<std::size_t>& of(int triangle) const {
    static const std::vector<std::size_t> none;
    const auto found = crossings_of.find(triangle);
    return found == crossings_of.end() ? none : found->second;
  }
};

/// Holds a vertex of one mesh inside the other, and a crossing of its region.
struct InnerPoint {
  std::size_t crossing;
  Vector3d point;  // in A's frame [m]
  bool of_A;
};

/// Finds which crossings belong to one region, and the vertices inside.
class RegionSearch {
 public:
  RegionSearch(const CollisionMesh& A, const CollisionMesh& B, const Pose& X_AB,
               const std::vector<Crossing>& crossings)
      : crossings_(crossings),
        A_{A, B, Pose{}, X_AB.inverse(), {}},
        B_{B, A, X_AB, X_AB, {}},
        loops_(crossings.size()),
        regions_(crossings.size()) {
    for (std::size_t k = 0; k < crossings.size(); ++k) {
      A_.crossings_of[crossings[k].a].push_back(k);
      B_.crossings_of[crossings[k].b].push_back(k);
    }
  }

  std::vector<OverlapRegion> find() {
    join_loops();
    // Loops of one part of a surface belong to one region.
    regions_ = loops_;
    for (const Side* side : {&A_, &B_}) {
      join_by_vertices(*side);
      join_within_triangles(*side);
    }
    std::map<std::size_t, std::vector<std::size_t>> members;
    for (std::size_t k = 0; k < crossings_.size(); ++k) members[root_of(regions_, k)].push_back(k);
    std::vector<OverlapRegion> found;
    for (const auto& [region, own] : members) found.push_back(region_of(region, own));
    return found;
  }

 private:
  /// Joins the segments that follow each other: those of neighbors with one triangle.
  void join_loops() {
    std::map<std::pair<int, int>, std::size_t> known;
    for (std::size_t k = 0; k < crossings_.size(); ++k) {
      known[{crossings_[k].a, crossings_[k].b}] = k;
    }
    const auto join_with = [&](std::size_t k, int a, int b) {
      const auto next = known.find({a, b});
      if (next != known.end()) join(loops_, k, next->second);
    };
    for (std::size_t k = 0; k < crossings_.size(); ++k) {
      const Crossing& own = crossings_[k];
      for (const int a : A_.own.neighbors(own.a)) join_with(k, a, own.b);
      for (const int b : B_.own.neighbors(own.b)) join_with(k, own.a, b);
    }
  }

  /// Walks over the surface from corners inside the other mesh to the loops around them.
  void join_by_vertices(const Side& side) {
    std::map<int, std::size_t> reached;  // triangles wholly inside
    std::map<int, bool> is_inside;       // vertices
    const auto inside = [&](int v) {
      const auto [known, is_new] = is_inside.try_emplace(v, false);
      if (is_new) known->second = side.other.contains(side.to_other * side.own.vertex(v));
      return known->second;
    };
    std::vector<int> waiting;
    for (const auto& [triangle, own] : side.crossings_of) {
      const std::size_t root = own.front();
      for (std::size_t k = 0; k < 3; ++k) {
        const int v = side.own.triangles()[at(triangle)][k];
        if (!inside(v)) continue;
        add_point(side, root, v);
        for (const std::size_t c : own) join(regions_, root, c);
        waiting = {side.own.neighbors(triangle)[k], side.own.neighbors(triangle)[(k + 2) % 3]};
        walk(side, root, waiting, reached);
      }
    }
  }

  /// Visits the triangles that wait and all inside that they lead to.
  void walk(const Side& side, std::size_t root, std::vector<int>& waiting,
            std::map<int, std::size_t>& reached) {
    while (!waiting.empty()) {
      const int triangle = waiting.back();
      waiting.pop_back();
      if (triangle < 0) continue;
      const std::vector<std::size_t>& own = side.of(triangle);
      if (!own.empty()) {
        join(regions_, root, own.front());
        continue;
      }
      const auto [known, is_new] = reached.try_emplace(triangle, root);
      join(regions_, root, known->second);
      if (!is_new) continue;
      for (const int v : side.own.triangles()[at(triangle)]) add_point(side, root, v);
      for (const int next : side.own.neighbors(triangle)) waiting.push_back(next);
    }
  }

  /// Joins two loops that run through one triangle with nothing but inside between them.
  void join_within_triangles(const Side& side) {
    for (const auto& [triangle, own] : side.crossings_of) {
      for (std::size_t i = 1; i < own.size(); ++i) {
        if (root_of(regions_, own[0]) == root_of(regions_, own[i])) continue;
        const Vector3d between = 0.5 * (middle(own[0]) + middle(own[i]));
        const Pose in_other = side.to_other * side.to_A.inverse();
        if (side.other.contains(in_other * between)) join(regions_, own[0], own[i]);
      }
    }
  }

  Vector3d middle(std::size_t k) const { return 0.5 * (crossings_[k].tail + crossings_[k].head); }

  void add_point(const Side& side, std::size_t root, int v) {
    points_.push_back({root, side.to_A * side.own.vertex(v), &side == &A_});
  }

  /// Measures a region, given its crossings.
  OverlapRegion region_of(std::size_t region, const std::vector<std::size_t>& own) {
    OverlapRegion found;
    for (const std::size_t k : own) found.middle += middle(k) / static_cast<double>(own.size());
    // The area vector of each loop, about the middle.
    std::map<std::size_t, Vector3d> areas;
    for (const std::size_t k : own) {
      const Vector3d tail = crossings_[k].tail - found.middle;
      const Vector3d head = crossings_[k].head - found.middle;
      areas.try_emplace(root_of(loops_, k), Vector3d::Zero()).first->second +=
          0.5 * tail.cross(head);
      found.box.include(crossings_[k].tail);
      found.box.include(crossings_[k].head);
    }
    Vector3d sum = Vector3d::Zero();
    double total = 0.0;
    for (const auto& [loop, area] : areas) {
      sum += area;
      total += area.norm();
    }
    for (const std::size_t k : own) {
      for (const Vector3d& x : {crossings_[k].tail, crossings_[k].head}) {
        found.of_A.push_back(x);
        found.of_B.push_back(x);
      }
    }
    for (const InnerPoint& point : points_) {
      if (root_of(regions_, point.crossing) != region) continue;
      found.box.include(point.point);
      (point.of_A ? found.of_A : found.of_B).push_back(point.point);
    }
    const bool has_direction = sum.norm() > kCancelled * total;
    if (has_direction) {
      found.normal = sum.normalized();
      found.depth = found.depth_along(found.normal);
    }
    // Faces that lie in one plane cross by rounding, in loops that do not close: their area has any
    // direction. The normal of the plane parts them.
    const double limit = has_direction ? kFarLess * found.depth : touching_depth();
    const auto [of_A, of_B] = normals_of_facets(own);
    for (const std::vector<Vector3d>& normals : {of_A, of_B}) {
      for (std::size_t k = 0; k < std::min(normals.size(), kMaxFacets); ++k) {
        const double depth = found.depth_along(normals[k]);
        if (depth > limit || (!found.normal.isZero(0.0) && depth >= found.depth)) continue;
        found.normal = normals[k];
        found.depth = depth;
      }
    }
    // Those of both meshes by turns.
    for (std::size_t k = 0; k < std::max(of_A.size(), of_B.size()); ++k) {
      if (k < of_A.size()) found.facet_normals.push_back(of_A[k]);
      if (k < of_B.size()) found.facet_normals.push_back(of_B[k]);
    }
    return found;
  }

  /// Returns the normals along which B leaves the facets of each mesh that cross, in A's frame,
  /// those that cross most first.
  std::array<std::vector<Vector3d>, 2> normals_of_facets(
      const std::vector<std::size_t>& own) const {
    std::map<int, int> of_A, of_B;  // crossings by facet
    for (const std::size_t k : own) {
      ++of_A[A_.own.facet_of(crossings_[k].a)];
      ++of_B[B_.own.facet_of(crossings_[k].b)];
    }
    std::array<std::vector<Vector3d>, 2> normals;
    for (const auto& [side, counts] : {std::pair(&A_, &of_A), std::pair(&B_, &of_B)}) {
      std::vector<std::pair<int, int>> order;  // less crossings, facet
      for (const auto& [facet, count] : *counts) order.emplace_back(-count, facet);
      std::sort(order.begin(), order.end());
      for (const auto& [count, facet] : order) {
        const Vector3d normal = side->to_A.rotation * side->own.facets()[at(facet)].normal;
        normals[side == &A_ ? 0 : 1].push_back(side == &A_ ? normal : Vector3d(-normal));
      }
    }
    return normals;
  }

  double touching_depth() const {
    return kSameContact * std::min(A_.own.bounding_radius(), B_.own.bounding_radius());
  }

  const std::vector<Crossing>& crossings_;
  Side A_, B_;
  DisjointSets loops_, regions_;
  std::vector<InnerPoint> points_;
};

}  // namespace

double OverlapRegion::depth_along(const Vector3d& n) const {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  double highest_A = -kFar, lowest_B = kFar;
  for (const Vector3d& x : of_A) highest_A = std::max(highest_A, n.dot(x));
  for (const Vector3d& x : of_B) lowest_B = std::min(lowest_B, n.dot(x));
  return std::max(highest_A - lowest_B, 0.0);
}

std::vector<OverlapRegion> find_overlap_regions(const CollisionMesh& A, const CollisionMesh& B,
                                                const Pose& X_AB,
                                                const std::vector<Crossing>& crossings) {
  return RegionSearch(A, B, X_AB, crossings).find();
}

}  // namespace amontons::narrow_phase
