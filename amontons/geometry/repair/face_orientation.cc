#include "amontons/geometry/repair/face_orientation.h"

#include "amontons/math/disjoint_sets.h"
#include "amontons/math/stop.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <map>
#include <utility>

namespace amontons {
namespace {

using Eigen::Vector3d;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Describes one side of a triangle as a walk along an edge.
struct Side {
  int low = 0, high = 0;  // vertices of the edge
  bool upward = false;    // from low to high
  int triangle = 0;
};

/// Returns all sides of all triangles, so sorted that those of one edge follow each other.
std::vector<Side> sorted_sides(const TriangleMesh& mesh) {
  std::vector<Side> sides;
  sides.reserve(3 * mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int tail = mesh.triangles[t][k], head = mesh.triangles[t][(k + 1) % 3];
      sides.push_back(
          {std::min(tail, head), std::max(tail, head), tail < head, static_cast<int>(t)});
    }
  }
  std::stable_sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    check_stop();
    return a.low != b.low ? a.low < b.low : a.high < b.high;
  });
  return sides;
}

/// Names a neighbor of a triangle, and if both run along the edge in one direction.
struct Neighbor {
  int triangle = 0;
  bool disagrees = false;
};

/// Finds the parts of one mesh, their orientation and their volume.
class PartFinder {
 public:
  explicit PartFinder(const TriangleMesh& mesh)
      : mesh_(mesh), neighbors_(mesh.triangles.size()), part_of_(mesh.triangles.size(), -1) {
    result_.turned.assign(mesh.triangles.size(), 0);
  }

  FaceParts run() {
    connect();
    for (int t = 0; t < static_cast<int>(mesh_.triangles.size()); ++t) {
      if (part_of_[at(t)] < 0) grow(t);
    }
    for (const Side& side : borders_) {
      result_.parts[at(part_of_[at(side.triangle)])].closed = false;
    }
    for (FaceParts::Part& part : result_.parts) follow_larger_area(part);
    check_stop();
    measure();
    return std::move(result_);
  }

 private:
  /// Links the triangles of edges that have two; the sides of all others are borders.
  void connect() {
    const std::vector<Side> sides = sorted_sides(mesh_);
    for (std::size_t first = 0, next = 0; first < sides.size(); first = next) {
      while (next < sides.size() && sides[next].low == sides[first].low &&
             sides[next].high == sides[first].high) {
        ++next;
      }
      const Side &a = sides[first], &b = sides[next - 1];
      if (next - first == 2 && a.triangle != b.triangle) {
        neighbors_[at(a.triangle)].push_back({b.triangle, a.upward == b.upward});
        neighbors_[at(b.triangle)].push_back({a.triangle, a.upward == b.upward});
      } else {
        for (std::size_t s = first; s < next; ++s) borders_.push_back(sides[s]);
      }
    }
  }

  /// Collects the part of a triangle, and marks the triangles that face another side than it.
  void grow(int seed) {
    const int number = static_cast<int>(result_.parts.size());
    FaceParts::Part part;
    part_of_[at(seed)] = number;
    part.triangles.push_back(seed);
    // The list of the part is the queue of the search.
    for (std::size_t next = 0; next < part.triangles.size(); ++next) {
      check_stop();
      const int t = part.triangles[next];
      for (const Neighbor& neighbor : neighbors_[at(t)]) {
        const char turned = static_cast<char>((result_.turned[at(t)] != 0) != neighbor.disagrees);
        if (part_of_[at(neighbor.triangle)] < 0) {
          part_of_[at(neighbor.triangle)] = number;
          result_.turned[at(neighbor.triangle)] = turned;
          part.triangles.push_back(neighbor.triangle);
        } else if (result_.turned[at(neighbor.triangle)] != turned) {
          part.orientable = false;
        }
      }
    }
    std::sort(part.triangles.begin(), part.triangles.end());
    result_.parts.push_back(std::move(part));
  }

  /// Measures the area of a part and marks the smaller share of it, or none if it is one-sided.
  void follow_larger_area(FaceParts::Part& part) {
    double kept = 0.0, turned = 0.0;
    for (const int t : part.triangles) {
      const auto& [a, b, c] = mesh_.triangles[at(t)];
      const double area = 0.5 * (vertex(b) - vertex(a)).cross(vertex(c) - vertex(a)).norm();
      (result_.turned[at(t)] != 0 ? turned : kept) += area;
      part.mixed = part.mixed || result_.turned[at(t)] != 0;
    }
    part.area = kept + turned;
    for (const int t : part.triangles) {
      char& mark = result_.turned[at(t)];
      if (!part.orientable) mark = 0;
      if (part.orientable && turned > kept) mark = static_cast<char>(mark == 0);
    }
    part.mixed = part.mixed && part.orientable;
  }

  /// Adds up the volumes of all parts, about a vertex of each. Fans over the middles of the holes
  /// close what is open.
  void measure() {
    for (FaceParts::Part& part : result_.parts) {
      const Vector3d origin = vertex(mesh_.triangles[at(part.triangles.front())][0]);
      for (const int t : part.triangles) {
        const auto& [a, b, c] = mesh_.triangles[at(t)];
        const double volume =
            signed_volume(vertex(a) - origin, vertex(b) - origin, vertex(c) - origin);
        if (part.orientable) part.volume += result_.turned[at(t)] != 0 ? -volume : volume;
      }
    }
    close_holes();
  }

  /// Adds the fans that close the holes of all parts. The border sides of one part that share
  /// vertices form a hole.
  void close_holes() {
    DisjointSets holes(mesh_.vertices.size());
    std::map<std::pair<int, int>, std::pair<Vector3d, int>> middles;  // sum of ends, their number
    std::map<int, std::vector<Side>> sides_of;
    for (const Side& side : borders_) sides_of[part_of_[at(side.triangle)]].push_back(side);
    for (const auto& [number, sides] : sides_of) {
      FaceParts::Part& part = result_.parts[at(number)];
      for (const Side& side : sides) holes.join(side.low, side.high);
      for (const Side& side : sides) {
        auto [entry, is_new] =
            middles.try_emplace({number, holes.root(side.low)}, Vector3d::Zero(), 0);
        entry->second.first += vertex(side.low) + vertex(side.high);
        entry->second.second += 2;
      }
      // The fan runs along each side against its triangle.
      const Vector3d origin = vertex(mesh_.triangles[at(part.triangles.front())][0]);
      for (const Side& side : sides) {
        const auto& [sum, count] = middles.at({number, holes.root(side.low)});
        const Vector3d middle = sum / count - origin;
        const bool upward = side.upward != (result_.turned[at(side.triangle)] != 0);
        const Vector3d tail = vertex(upward ? side.high : side.low) - origin;
        const Vector3d head = vertex(upward ? side.low : side.high) - origin;
        part.hole_area += 0.5 * (tail - middle).cross(head - middle).norm();
        if (part.orientable) part.volume += signed_volume(tail, head, middle);
      }
    }
  }

  static double signed_volume(const Vector3d& a, const Vector3d& b, const Vector3d& c) {
    return a.dot(b.cross(c)) / 6.0;
  }
  const Vector3d& vertex(int v) const { return mesh_.vertices[at(v)]; }

  const TriangleMesh& mesh_;
  std::vector<std::vector<Neighbor>> neighbors_;  // per triangle
  std::vector<int> part_of_;                      // per triangle
  std::vector<Side> borders_;
  FaceParts result_;
};

}  // namespace

FaceParts find_face_parts(const TriangleMesh& mesh) { return PartFinder(mesh).run(); }

}  // namespace amontons
