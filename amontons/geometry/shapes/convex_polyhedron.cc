#include "amontons/geometry/shapes/convex_polyhedron.h"

#include "amontons/geometry/shapes/hull_facets.h"
#include "amontons/geometry/shapes/normal_cone.h"
#include "amontons/geometry/shapes/point_extent.h"
#include "amontons/geometry/shapes/triangle_distance.h"
#include "amontons/math/stop.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <queue>
#include <stdexcept>
#include <string>
#include <utility>

namespace amontons {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// Up to this many vertices or faces a scan of all is faster than a search.
constexpr std::size_t kScanLimit = 24;

// Searches for support vertices start from a table of directions: this many per side of a cube.
constexpr int kCells = 4;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Returns the number of the cell of a cube around the origin through which a direction goes. Each
/// face of the cube has kCells x kCells of them.
int cell_of(const Eigen::Vector3d& direction) {
  Eigen::Index axis = 0;
  const double length = direction.cwiseAbs().maxCoeff(&axis);
  if (!(length > 0.0)) return 0;
  const auto row = [&](Eigen::Index i) {
    const double share = 0.5 * (direction[i % 3] / length + 1.0);
    return std::min(static_cast<int>(share * kCells), kCells - 1);
  };
  const int face = 2 * static_cast<int>(axis) + (direction[axis] < 0.0 ? 1 : 0);
  return (face * kCells + row(axis + 1)) * kCells + row(axis + 2);
}

/// Returns the direction of the middle of a cell.
Eigen::Vector3d direction_of(int cell) {
  const int face = cell / (kCells * kCells), axis = face / 2;
  const auto middle = [](int row) { return (2.0 * row + 1.0) / kCells - 1.0; };
  Eigen::Vector3d direction;
  direction[axis] = face % 2 == 0 ? 1.0 : -1.0;
  direction[(axis + 1) % 3] = middle(cell / kCells % kCells);
  direction[(axis + 2) % 3] = middle(cell % kCells);
  return direction;
}

/// Finds the items of a tree of normals within a window of a direction; all items of an empty tree.
void find_towards(const BoxTree& normals, std::size_t num_items, const Eigen::Vector3d& direction,
                  double window, std::vector<int>& found) {
  if (normals.empty()) {
    found.resize(num_items);
    std::iota(found.begin(), found.end(), 0);
    return;
  }
  normals.find({direction.array() - window, direction.array() + window}, found);
}

/// Orders the vertices that a growing hull does not have yet by their distances from it. A distance
/// only falls, so that the one from an earlier hull is a bound and few must be computed again.
class OutsideQueue {
 public:
  OutsideQueue(std::size_t num_vertices, const std::vector<int>& kept) {
    for (int v = 0; v < static_cast<int>(num_vertices); ++v) {
      if (std::find(kept.begin(), kept.end(), v) != kept.end()) continue;
      entries_.push({std::numeric_limits<double>::infinity(), v, 0});
    }
  }

  /// Starts the search outside a larger hull.
  void start_round() { ++round_; }

  /// Removes and returns the vertex farthest outside, the first among equals; none if all are
  /// inside.
  template <typename DistanceOf>
  std::optional<int> take_farthest(DistanceOf distance_of) {
    while (!entries_.empty()) {
      Entry entry = entries_.top();
      entries_.pop();
      if (entry.round == round_) {
        if (entry.distance > 0.0) return entry.vertex;
        entries_.push(entry);
        return std::nullopt;
      }
      entry.distance = std::min(entry.distance, distance_of(entry.vertex));
      entry.round = round_;
      entries_.push(entry);
    }
    return std::nullopt;
  }

 private:
  struct Entry {
    double distance = 0.0;  // from the hull of its round [m]
    int vertex = 0, round = 0;
    bool operator<(const Entry& other) const {
      return distance != other.distance ? distance < other.distance : vertex > other.vertex;
    }
  };
  std::priority_queue<Entry> entries_;
  int round_ = 0;
};

}  // namespace

ConvexPolyhedron ConvexPolyhedron::hull_of(const std::vector<Eigen::Vector3d>& points,
                                           double flatness) {
  if (points.size() < 4) {
    throw std::invalid_argument("convex hull: needs at least four points, has " +
                                std::to_string(points.size()));
  }
  if (!(flatness >= 0.0)) {
    throw std::invalid_argument("convex hull: flatness must be >= 0 m, is " +
                                std::to_string(flatness));
  }
  const PointExtent extent = measure_extent(points);
  // The limit keeps a thin plate a plate, however coarse the tolerance.
  const double tolerance = std::max(extent.resolution, std::min(flatness, 1e-3 * extent.thickness));
  const std::vector<Eigen::Vector3d> distinct = distinct_points(points);
  ConvexPolyhedron polyhedron;
  polyhedron.set_faces(distinct,
                       merge_coplanar_facets(distinct, compute_hull_facets(distinct), tolerance));
  polyhedron.set_edges();
  polyhedron.set_neighbors();
  polyhedron.set_directions();
  return polyhedron;
}

ConvexPolyhedron ConvexPolyhedron::simplified(int max_vertices, double flatness) const {
  if (max_vertices < 4) {
    throw std::invalid_argument("convex hull: needs at least four vertices, not " +
                                std::to_string(max_vertices));
  }
  if (vertices_.size() <= at(max_vertices)) return *this;
  std::vector<int> kept = first_simplex(vertices_);
  OutsideQueue outside(vertices_.size(), kept);
  // Bound: each pass adds at least one vertex, or returns.
  while (true) {
    std::sort(kept.begin(), kept.end());
    std::vector<Eigen::Vector3d> points;
    for (const int v : kept) points.push_back(vertices_[at(v)]);
    ConvexPolyhedron hull = hull_of(points, flatness);
    // A sixteenth more at a time: a hull for each vertex would cost the square of their number.
    const std::size_t count =
        std::min(at(max_vertices), kept.size() + std::max<std::size_t>(1, kept.size() / 16));
    if (count == kept.size()) return hull;
    outside.start_round();
    while (kept.size() < count) {
      const std::optional<int> farthest =
          outside.take_farthest([&](int v) { return hull.distance_to(vertices_[at(v)]); });
      if (!farthest) break;
      kept.push_back(*farthest);
    }
    if (kept.size() == points.size()) return hull;
  }
}

void ConvexPolyhedron::set_faces(const std::vector<Eigen::Vector3d>& points,
                                 std::vector<MergedFacet> facets) {
  // Canonical order, part 1: the vertices that remain, in the order of the input.
  std::vector<int> new_index(points.size(), -1);
  for (const MergedFacet& facet : facets) {
    for (int v : facet.corners) new_index[at(v)] = 0;
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (new_index[i] < 0) continue;
    new_index[i] = static_cast<int>(vertices_.size());
    vertices_.push_back(points[i]);
    bounding_radius_ = std::max(bounding_radius_, points[i].norm());
  }
  for (const Eigen::Vector3d& v : vertices_) middle_ += v / static_cast<double>(vertices_.size());
  // Part 2: each loop begins at its smallest vertex, and the faces are sorted by their loops.
  for (MergedFacet& facet : facets) {
    FacetLoop& loop = facet.corners;
    for (int& v : loop) v = new_index[at(v)];
    std::rotate(loop.begin(), std::min_element(loop.begin(), loop.end()), loop.end());
  }
  std::sort(facets.begin(), facets.end(),
            [](const MergedFacet& a, const MergedFacet& b) { return a.corners < b.corners; });

  // The offset of a face is the largest over its corners, so that all of them lie inside its plane.
  for (MergedFacet& facet : facets) {
    Face face{std::move(facet.corners), facet.normal, -std::numeric_limits<double>::infinity()};
    for (int v : face.vertices) {
      face.offset = std::max(face.offset, face.normal.dot(vertices_[at(v)]));
    }
    for (int v : face.vertices) {
      unevenness_ = std::max(unevenness_, face.offset - face.normal.dot(vertices_[at(v)]));
    }
    faces_.push_back(std::move(face));
  }
}

void ConvexPolyhedron::set_edges() {
  std::map<std::pair<int, int>, int> face_left_of;  // by directed edge
  for (std::size_t f = 0; f < faces_.size(); ++f) {
    check_stop();
    const std::vector<int>& loop = faces_[f].vertices;
    for (std::size_t k = 0; k < loop.size(); ++k) {
      face_left_of[{loop[k], loop[(k + 1) % loop.size()]}] = static_cast<int>(f);
    }
  }
  // Each edge appears once in either direction; the smaller vertex is its tail.
  for (const auto& [edge, left] : face_left_of) {
    const auto [tail, head] = edge;
    const auto opposite = face_left_of.find({head, tail});
    if (opposite == face_left_of.end()) {
      throw std::runtime_error("convex hull: the faces do not close");
    }
    if (tail < head) edges_.push_back({tail, head, left, opposite->second});
  }
  // Euler's formula for a surface like a sphere: vertices - edges + faces = 2.
  if (vertices_.size() + faces_.size() != edges_.size() + 2) {
    throw std::runtime_error("convex hull: the faces do not form a ball");
  }
}

void ConvexPolyhedron::set_neighbors() {
  // The number of edges at each vertex, summed, gives where they begin.
  first_at_.assign(vertices_.size() + 1, 0);
  for (const Edge& edge : edges_) {
    ++first_at_[at(edge.tail) + 1];
    ++first_at_[at(edge.head) + 1];
  }
  std::partial_sum(first_at_.begin(), first_at_.end(), first_at_.begin());
  edges_at_.resize(2 * edges_.size());
  neighbors_.resize(2 * edges_.size());
  std::vector<int> next(first_at_.begin(), first_at_.end() - 1);
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    const auto add = [&](int vertex, int neighbor) {
      const std::size_t slot = at(next[at(vertex)]++);
      edges_at_[slot] = static_cast<int>(e);
      neighbors_[slot] = neighbor;
    };
    add(edges_[e].tail, edges_[e].head);
    add(edges_[e].head, edges_[e].tail);
  }
}

void ConvexPolyhedron::set_directions() {
  if (vertices_.size() > kScanLimit) {
    for (int cell = 0; cell < 6 * kCells * kCells; ++cell) {
      starts_.push_back(scan_for_support(direction_of(cell)));
    }
  }
  if (faces_.size() <= kScanLimit) return;
  std::vector<Aabb> boxes;
  for (const Face& face : faces_) boxes.push_back({face.normal, face.normal});
  normals_ = BoxTree(boxes);
  boxes.clear();
  for (const Edge& edge : edges_) {
    boxes.push_back(
        NormalCone::of_edge(faces_[at(edge.left)].normal, faces_[at(edge.right)].normal).bounds());
  }
  arcs_ = BoxTree(boxes);
}

/// Returns the first of the vertices farthest along a direction, by comparison of all.
int ConvexPolyhedron::scan_for_support(const Eigen::Vector3d& direction) const {
  std::pair<double, std::size_t> best{direction.dot(vertices_[0]), 0};
  for (std::size_t i = 1; i < vertices_.size(); ++i) {
    const double value = direction.dot(vertices_[i]);
    if (value > best.first) best = {value, i};
  }
  return static_cast<int>(best.second);
}

int ConvexPolyhedron::climb(const Eigen::Vector3d& direction, bool& tied) const {
  int current = starts_[at(cell_of(direction))];
  // On an uneven face a corner may be higher than its neighbors and lower than another one. No edge
  // is longer than the shape is wide: most need no bound of their own rounding.
  const double uneven = 4.0 * unevenness_ * direction.norm();
  const double most_noise = 8.0 * kEpsilon * bounding_radius_ * direction.lpNorm<1>();
  // Bound: every pass gains beyond rounding, so that no vertex returns.
  while (true) {
    // Gains along an edge are exact to its rounding; only those beyond it are followed: no circles.
    int best = -1;
    double best_gain = 0.0;
    tied = false;
    for (int k = first_at_[at(current)]; k < first_at_[at(current) + 1]; ++k) {
      const int neighbor = neighbors_[at(k)];
      const Eigen::Vector3d edge = vertices_[at(neighbor)] - vertices_[at(current)];
      const double gain = direction.dot(edge);
      if (gain < -most_noise - uneven) continue;
      const double noise = 4.0 * kEpsilon * direction.cwiseAbs().dot(edge.cwiseAbs());
      tied |= gain >= -noise - uneven;
      if (gain > noise && gain > best_gain) {
        best = neighbor;
        best_gain = gain;
      }
    }
    if (best < 0) return current;
    current = best;
  }
}

int ConvexPolyhedron::support(const Eigen::Vector3d& direction) const {
  if (vertices_.size() <= kScanLimit) return scan_for_support(direction);
  bool tied = false;
  const int top = climb(direction, tied);
  return tied ? first_of_tie(direction, top) : top;
}

int ConvexPolyhedron::first_of_tie(const Eigen::Vector3d& direction, int top) const {
  // The answer does not depend on the start. Vertices that tie are neighbors, as those of a face.
  static thread_local std::vector<int> tie;
  tie.assign(1, top);
  const double rounding = 8.0 * unevenness_ + 16.0 * kEpsilon * bounding_radius_;
  std::pair<double, int> best{-direction.dot(vertices_[at(top)]), top};
  const double lowest = -best.first - rounding * direction.norm();
  for (std::size_t k = 0; k < tie.size(); ++k) {
    if (tie.size() > kScanLimit) return scan_for_support(direction);
    for (int n = first_at_[at(tie[k])]; n < first_at_[at(tie[k]) + 1]; ++n) {
      const std::pair other{-direction.dot(vertices_[at(neighbors_[at(n)])]), neighbors_[at(n)]};
      if (-other.first < lowest || std::count(tie.begin(), tie.end(), other.second) > 0) continue;
      tie.push_back(other.second);
      best = std::min(best, other);
    }
  }
  return best.second;
}

double ConvexPolyhedron::height_bound(const Eigen::Vector3d& direction) const {
  bool tied = false;
  const bool is_small = vertices_.size() <= kScanLimit;
  const int top = is_small ? scan_for_support(direction) : climb(direction, tied);
  const double uneven = tied ? 8.0 * unevenness_ * direction.norm() : 0.0;
  return direction.dot(vertices_[at(top)]) + uneven;
}

int ConvexPolyhedron::face_towards(const Eigen::Vector3d& direction) const {
  int nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  const auto offer = [&](int f) {
    const double squared = (faces_[at(f)].normal - direction).squaredNorm();
    if (squared < least || (squared == least && f < nearest)) {
      nearest = f;
      least = squared;
    }
    return least;
  };
  if (normals_.empty()) {
    for (int f = 0; f < static_cast<int>(faces_.size()); ++f) offer(f);
  } else {
    normals_.visit_nearest(direction, least, offer);
  }
  return nearest;
}

void ConvexPolyhedron::find_faces_towards(const Eigen::Vector3d& direction, double window,
                                          std::vector<int>& found) const {
  find_towards(normals_, faces_.size(), direction, window, found);
}

void ConvexPolyhedron::find_edges_towards(const Eigen::Vector3d& direction, double window,
                                          std::vector<int>& found) const {
  find_towards(arcs_, edges_.size(), direction, window, found);
}

double ConvexPolyhedron::distance_to(const Eigen::Vector3d& point) const {
  double nearest = std::numeric_limits<double>::infinity();
  bool inside = true;
  for (const Face& face : faces_) {
    const double gap = face.normal.dot(point) - face.offset;
    inside = inside && gap <= 0.0;
    // A face is no nearer than its plane. Where planes are almost equal, a point outside one by
    // rounding may be nearest to a face that it is inside of, so that both signs count.
    if (std::abs(gap) >= nearest) continue;
    for (std::size_t k = 2; k < face.vertices.size(); ++k) {
      const Triangle triangle = {vertices_[at(face.vertices[0])],
                                 vertices_[at(face.vertices[k - 1])],
                                 vertices_[at(face.vertices[k])]};
      nearest = std::min(nearest, (nearest_in_triangle(triangle, point) - point).norm());
    }
  }
  return inside ? 0.0 : nearest;
}

double largest_distance(const ConvexPolyhedron& outer, const ConvexPolyhedron& inner) {
  double largest = 0.0;
  for (const Eigen::Vector3d& v : outer.vertices()) {
    largest = std::max(largest, inner.distance_to(v));
  }
  return largest;
}

}  // namespace amontons
