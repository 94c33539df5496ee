#include "amontons/geometry/shapes/collision_mesh.h"

#include "amontons/geometry/shapes/close_holes.h"
#include "amontons/geometry/shapes/connected_components.h"
#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "amontons/geometry/shapes/coplanar_groups.h"
#include "amontons/geometry/shapes/hull_facets.h"
#include "amontons/geometry/shapes/point_extent.h"
#include "amontons/math/elementary.h"
#include "amontons/math/stop.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace amontons {
namespace {

using Eigen::Vector3d;

// Relative rounding of coordinates [-], which the test of flatness allows for.
constexpr double kCoordinateRounding = 1e-14;
// Fractions of a turn that are the error of a sum of dipoles, with some room [-].
constexpr double kClearTurns = 0.05;
// Angles of a facet beyond half a turn, and the rounding of their sums [rad].
constexpr double kReflex = 3.14159266;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Returns the corners of a triangle as a loop.
FacetLoop loop_of(const std::array<int, 3>& triangle) { return {triangle.begin(), triangle.end()}; }

/// Describes one side of a triangle as a walk along an edge.
struct TriangleSide {
  int low, high;  // vertices of the edge
  bool upward;    // from low to high
  int triangle, side;
};

/// Returns all sides of all triangles, so sorted that those of one edge follow each other.
std::vector<TriangleSide> sorted_runs(const std::vector<std::array<int, 3>>& triangles) {
  std::vector<TriangleSide> runs;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const int tail = triangles[t][at(k)], head = triangles[t][at((k + 1) % 3)];
      runs.push_back(
          {std::min(tail, head), std::max(tail, head), tail < head, static_cast<int>(t), k});
    }
  }
  std::stable_sort(runs.begin(), runs.end(), [](const TriangleSide& a, const TriangleSide& b) {
    check_stop();
    return a.low != b.low ? a.low < b.low : a.high < b.high;
  });
  return runs;
}

}  // namespace

CollisionMesh::CollisionMesh(TriangleMesh mesh, double flatness) : mesh_(std::move(mesh)) {
  check();
  for (const Vector3d& v : mesh_.vertices) bounding_radius_ = std::max(bounding_radius_, v.norm());
  is_closed_ = amontons::is_closed(mesh_);
  check_stop();
  set_parts();
  set_neighbors();
  encloses_ = is_closed_ || close_holes(mesh_).has_value();
  set_facets(std::max(flatness, kCoordinateRounding * bounding_radius_));
  check_stop();
  set_creases();
  set_corners();
  set_features();
  winding_ = WindingTree(mesh_, tree());
  set_hull(flatness);
}

void CollisionMesh::check() const {
  if (mesh_.triangles.empty()) throw std::invalid_argument("mesh: it has no triangles");
  const int num_vertices = static_cast<int>(mesh_.vertices.size());
  double area = 0.0;
  for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) {
    check_stop();
    for (const int v : mesh_.triangles[t]) {
      if (v < 0 || v >= num_vertices) {
        throw std::invalid_argument("mesh: triangle " + std::to_string(t) + " names vertex " +
                                    std::to_string(v) + " of " + std::to_string(num_vertices));
      }
      if (!vertex(v).allFinite()) {
        throw std::invalid_argument("mesh: vertex " + std::to_string(v) + " is not finite");
      }
    }
    area += area_vector(mesh_.vertices, loop_of(mesh_.triangles[t])).norm();
  }
  if (!(area > 0.0)) throw std::invalid_argument("mesh: its triangles have no area");
}

void CollisionMesh::set_hull(double flatness) {
  if (facets_.size() > 1 && dimension_of(mesh_.vertices, flatness) == 3) {
    hull_ = plate_ = std::make_shared<const ConvexPolyhedron>(
        ConvexPolyhedron::hull_of(mesh_.vertices, flatness));
    return;
  }
  // The plane of a sheet is that of its largest triangle.
  Vector3d normal = Vector3d::Zero(), origin = Vector3d::Zero();
  for (const std::array<int, 3>& triangle : mesh_.triangles) {
    const Vector3d area = area_vector(mesh_.vertices, loop_of(triangle));
    if (area.squaredNorm() <= normal.squaredNorm()) continue;
    normal = area;
    origin = vertex(triangle[0]);
  }
  normal.normalize();
  std::vector<Vector3d> points;
  for (const Vector3d& v : mesh_.vertices) {
    for (const double side : {-0.5e-9, 0.5e-9}) {
      points.emplace_back(v + (side * bounding_radius_ - normal.dot(v - origin)) * normal);
    }
  }
  plate_ = std::make_shared<const ConvexPolyhedron>(ConvexPolyhedron::hull_of(points));
}

Vector3d CollisionMesh::corner(int triangle, std::size_t k) const {
  return vertex(mesh_.triangles[at(triangle)][k]);
}

bool CollisionMesh::contains(const Vector3d& x) const {
  return encloses_ && tree().bounds().overlaps({x, x}) && winding_.is_inside(mesh_, tree(), x);
}

std::optional<bool> CollisionMesh::clearly_contains(const Vector3d& x) const {
  if (!encloses_ || !tree().bounds().overlaps({x, x})) return false;
  const double turns = winding_.about(mesh_, tree(), x);
  if (std::abs(turns - std::round(turns)) > kClearTurns) return std::nullopt;
  return turns > 0.5;
}

const std::vector<int>& CollisionMesh::creases_of(int triangle) const {
  return creases_of_[at(triangle)];
}
const std::vector<int>& CollisionMesh::corners_of(int triangle) const {
  return corners_of_[at(triangle)];
}

void CollisionMesh::set_parts() {
  std::vector<int> part_of = parts_of_vertices(mesh_);
  // In the order of the triangles; each vertex once.
  for (const std::array<int, 3>& triangle : mesh_.triangles) {
    for (const int v : triangle) {
      const int part = std::exchange(part_of[at(v)], -1);
      if (part < 0) continue;
      if (part == static_cast<int>(parts_.size())) parts_.emplace_back();
      parts_[at(part)].push_back(v);
    }
  }
}

void CollisionMesh::set_neighbors() {
  neighbors_.assign(mesh_.triangles.size(), {-1, -1, -1});
  const std::vector<TriangleSide> runs = sorted_runs(mesh_.triangles);
  // Each group of equal edges holds the triangles that share one edge.
  for (std::size_t first = 0, next = 0; first < runs.size(); first = next) {
    const auto same = [&](const TriangleSide& run) {
      return run.low == runs[first].low && run.high == runs[first].high;
    };
    while (next < runs.size() && same(runs[next])) ++next;
    // Edges of more than two triangles, or of two that disagree, are borders of each.
    if (next - first != 2 || runs[first].upward == runs[first + 1].upward) continue;
    const TriangleSide &a = runs[first], &b = runs[first + 1];
    neighbors_[at(a.triangle)][at(a.side)] = b.triangle;
    neighbors_[at(b.triangle)][at(b.side)] = a.triangle;
  }
}

void CollisionMesh::set_facets(double flatness) {
  std::vector<FacetLoop> loops;
  for (const std::array<int, 3>& triangle : mesh_.triangles) loops.push_back(loop_of(triangle));
  std::vector<std::vector<int>> neighbors;
  for (const std::array<int, 3>& own : neighbors_) neighbors.emplace_back(own.begin(), own.end());
  const std::vector<int> group = group_coplanar(mesh_.vertices, loops, neighbors, flatness);
  // Facets are numbered in the order of their first triangles.
  std::vector<int> number(group.size(), -1);
  std::vector<Vector3d> areas;
  std::vector<double> heights, weights;
  facet_of_.resize(group.size());
  for (std::size_t t = 0; t < group.size(); ++t) {
    int& facet = number[at(group[t])];
    if (facet < 0) {
      facet = static_cast<int>(facets_.size());
      facets_.push_back({loop_normal(mesh_.vertices, loops[at(group[t])]), 0.0});
      areas.emplace_back(Vector3d::Zero());
      heights.push_back(0.0);
      weights.push_back(0.0);
    }
    facet_of_[t] = facet;
    areas[at(facet)] += area_vector(mesh_.vertices, loops[t]);
  }
  check_stop();
  // The normal of a facet is that of the area vectors of all its triangles together.
  for (std::size_t f = 0; f < facets_.size(); ++f) {
    if (areas[f].norm() > 0.0) facets_[f].normal = areas[f].normalized();
  }
  // Its offset is the mean height of the triangles along it, weighted by their areas.
  for (std::size_t t = 0; t < group.size(); ++t) {
    const std::size_t f = at(facet_of_[t]);
    const double area = area_vector(mesh_.vertices, loops[t]).norm();
    const Vector3d sum = corner(static_cast<int>(t), 0) + corner(static_cast<int>(t), 1) +
                         corner(static_cast<int>(t), 2);
    heights[f] += area * facets_[f].normal.dot(sum) / 3.0;
    weights[f] += area;
  }
  for (std::size_t f = 0; f < facets_.size(); ++f) {
    if (weights[f] > 0.0) facets_[f].offset = heights[f] / weights[f];
  }
}

void CollisionMesh::set_creases() {
  sides_.resize(mesh_.triangles.size());
  creases_of_.resize(mesh_.triangles.size());
  for (int t = 0; t < static_cast<int>(mesh_.triangles.size()); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int other = neighbors_[at(t)][k];
      const int beyond = other < 0 ? -1 : facet_of(other);
      // Sides inside a facet are no creases.
      if (beyond == facet_of(t)) continue;
      sides_[at(t)].facet[k] = beyond;
      if (other >= 0 && other < t) continue;  // the first of the two owns the crease
      creases_of_[at(t)].push_back(static_cast<int>(creases_.size()));
      creases_.push_back(
          {mesh_.triangles[at(t)][k], mesh_.triangles[at(t)][(k + 1) % 3], facet_of(t), beyond, t});
    }
  }
}

void CollisionMesh::set_corners() {
  // Creases that meet at each vertex.
  creases_at_.resize(mesh_.vertices.size());
  for (std::size_t c = 0; c < creases_.size(); ++c) {
    creases_at_[at(creases_[c].tail)].push_back(static_cast<int>(c));
    creases_at_[at(creases_[c].head)].push_back(static_cast<int>(c));
  }
  set_crease_directions();
  corners_of_.resize(mesh_.triangles.size());
  normals_at_.resize(mesh_.vertices.size());
  std::vector<char> is_owned(mesh_.vertices.size(), 0);
  for (int t = 0; t < static_cast<int>(mesh_.triangles.size()); ++t) {
    check_stop();
    for (const int v : mesh_.triangles[at(t)]) {
      const std::vector<int>& creases_here = creases_at_[at(v)];
      // Two creases that meet on a closed surface form one straight line, with no corner in it.
      const bool on_border = std::any_of(creases_here.begin(), creases_here.end(),
                                         [&](int c) { return creases_[at(c)].right < 0; });
      if (is_owned[at(v)] || creases_here.size() + (on_border ? 1 : 0) < 3) continue;
      is_owned[at(v)] = 1;
      corners_of_[at(t)].push_back(v);
      normals_at_[at(v)] = cone_at(v);
    }
  }
}

// The creases beside a facet bound it at a vertex unless its angle there is reflex, as at the inner
// corners of an L: then the facet also reaches along the directions between them.
std::map<int, std::vector<Vector3d>> CollisionMesh::find_reflex_directions() const {
  std::vector<int> num_triangles(facets_.size(), 0);
  for (const int facet : facet_of_) ++num_triangles[at(facet)];
  const auto may_be_reflex = [&](std::size_t t, int v) {
    return num_triangles[at(facet_of_[t])] > 1 && creases_at_[at(v)].size() > 2;
  };
  // The angle of each facet at each corner [rad].
  std::map<std::pair<int, int>, double> angles;
  const auto sides_at = [&](std::size_t t, std::size_t k) {
    const std::array<int, 3>& own = mesh_.triangles[t];
    const Vector3d& corner = vertex(own[k]);
    return std::array<Vector3d, 2>{(vertex(own[(k + 1) % 3]) - corner).normalized(),
                                   (vertex(own[(k + 2) % 3]) - corner).normalized()};
  };
  for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int v = mesh_.triangles[t][k];
      if (!may_be_reflex(t, v)) continue;
      const auto [a, b] = sides_at(t, k);
      angles[{v, facet_of_[t]}] += elementary::atan2(a.cross(b).norm(), a.dot(b));
    }
  }
  std::map<int, std::vector<Vector3d>> directions;
  for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int v = mesh_.triangles[t][k];
      if (!may_be_reflex(t, v) || angles[{v, facet_of_[t]}] <= kReflex) continue;
      for (const Vector3d& side : sides_at(t, k)) directions[v].push_back(side);
    }
  }
  return directions;
}

void CollisionMesh::set_crease_directions() {
  const std::map<int, std::vector<Vector3d>> reflex = find_reflex_directions();
  first_crease_direction_.reserve(mesh_.vertices.size() + 1);
  for (int v = 0; v < static_cast<int>(mesh_.vertices.size()); ++v) {
    first_crease_direction_.push_back(crease_directions_.size());
    for (const int c : creases_at_[at(v)]) {
      const Crease& crease = creases_[at(c)];
      const int other = crease.tail == v ? crease.head : crease.tail;
      crease_directions_.push_back((vertex(other) - vertex(v)).normalized());
      // At a border the sheet itself lies opposite to the outward normal.
      if (crease.right < 0) crease_directions_.push_back(-facets_[at(crease.left)].normal);
    }
    const auto own = reflex.find(v);
    if (own == reflex.end()) continue;
    crease_directions_.insert(crease_directions_.end(), own->second.begin(), own->second.end());
  }
  first_crease_direction_.push_back(crease_directions_.size());
}

NormalCone CollisionMesh::cone_at(int v) const {
  std::vector<Vector3d> normals;
  for (const int c : creases_at_[at(v)]) {
    normals.push_back(facets_[at(creases_[at(c)].left)].normal);
    if (creases_[at(c)].right >= 0) normals.push_back(facets_[at(creases_[at(c)].right)].normal);
  }
  return NormalCone::of_corner(normals, crease_directions(v));
}

void CollisionMesh::set_features() {
  std::vector<Aabb> boxes, normals;
  for (int t = 0; t < static_cast<int>(mesh_.triangles.size()); ++t) {
    check_stop();
    boxes.push_back(Aabb::around(triangle(t)));
    const Vector3d& face = facets_[at(facet_of(t))].normal;
    Aabb own{face, face};
    for (const int crease : creases_of(t)) {
      const auto& [left, right] = normals_beside(creases_[at(crease)]);
      own.include(NormalCone::of_edge(left, right).bounds());
    }
    for (const int v : corners_of(t)) own.include(normals_at(v).bounds());
    normals.push_back(own);
  }
  features_ = FeatureTree(boxes, std::move(normals));
}

std::pair<Vector3d, Vector3d> CollisionMesh::normals_beside(const Crease& crease) const {
  const Vector3d& left = facets_[at(crease.left)].normal;
  if (crease.right >= 0) return {left, facets_[at(crease.right)].normal};
  return {left, (vertex(crease.head) - vertex(crease.tail)).normalized().cross(left)};
}

}  // namespace amontons
