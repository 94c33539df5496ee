#include "amontons/geometry/shapes/close_holes.h"

#include "amontons/geometry/shapes/hull_facets.h"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace amontons {
namespace {

using Eigen::Vector3d;

/// Returns the sides, from tail to head, that no triangle runs along the other way.
std::vector<std::pair<int, int>> borders_of(const TriangleMesh& mesh) {
  std::map<std::pair<int, int>, int> surplus;  // from the lower vertex to the higher one
  for (const std::array<int, 3>& t : mesh.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int tail = t[k], head = t[(k + 1) % 3];
      surplus[std::minmax(tail, head)] += tail < head ? 1 : -1;
    }
  }
  std::vector<std::pair<int, int>> borders;
  for (const auto& [edge, count] : surplus) {
    const auto [low, high] = edge;
    for (int k = 0; k < count; ++k) borders.emplace_back(low, high);
    for (int k = 0; k < -count; ++k) borders.emplace_back(high, low);
  }
  return borders;
}

double area_of(const TriangleMesh& mesh, const std::array<int, 3>& triangle) {
  return area_vector(mesh.vertices, {triangle.begin(), triangle.end()}).norm();
}

/// Parts borders into loops that visit no vertex twice, each the rim of one hole. Where holes meet
/// in a vertex, the way that turns back most sharply is taken: along a slit, whose sides belong to
/// triangles of different lengths.
class HoleLoops {
 public:
  HoleLoops(const TriangleMesh& mesh, const std::vector<std::pair<int, int>>& borders)
      : mesh_(mesh), position_(mesh.vertices.size(), -1) {
    for (const auto& [tail, head] : borders) heads_[tail].push_back(head);
    // As many borders lead to a vertex as leave it, so that each way ends where it began.
    for (const auto& [tail, head] : borders) follow(tail);
  }

  const std::vector<std::vector<int>>& loops() const { return loops_; }

 private:
  /// Follows borders from a vertex until none is left there. Bound: each border is taken once.
  void follow(int start) {
    std::vector<int> way{start};
    position_[static_cast<std::size_t>(start)] = 0;
    while (!way.empty()) {
      const int next = take_border(way);
      if (next < 0) break;
      int& place = position_[static_cast<std::size_t>(next)];
      if (place < 0) {
        place = static_cast<int>(way.size());
        way.push_back(next);
        continue;
      }
      // The way meets itself: its end is a loop.
      loops_.emplace_back(way.begin() + place, way.end());
      for (std::size_t i = static_cast<std::size_t>(place) + 1; i < way.size(); ++i) {
        position_[static_cast<std::size_t>(way[i])] = -1;
      }
      way.resize(static_cast<std::size_t>(place) + 1);
    }
    for (const int vertex : way) position_[static_cast<std::size_t>(vertex)] = -1;
  }

  /// Takes a border that leaves the end of a way and returns its head; -1 if none is left.
  int take_border(const std::vector<int>& way) {
    std::vector<int>& heads = heads_[way.back()];
    if (heads.empty()) return -1;
    std::size_t best = 0;
    if (way.size() > 1) {
      const Vector3d came = (at(way.back()) - at(way[way.size() - 2])).normalized();
      double sharpest = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < heads.size(); ++i) {
        const double turn = came.dot((at(heads[i]) - at(way.back())).normalized());
        if (!(turn < sharpest)) continue;
        sharpest = turn;
        best = i;
      }
    }
    const int head = heads[best];
    heads.erase(heads.begin() + static_cast<std::ptrdiff_t>(best));
    return head;
  }

  const Vector3d& at(int vertex) const { return mesh_.vertices[static_cast<std::size_t>(vertex)]; }

  const TriangleMesh& mesh_;
  std::map<int, std::vector<int>> heads_;  // heads of the borders left, by their tail
  std::vector<int> position_;              // of each vertex on the way; -1: not on it
  std::vector<std::vector<int>> loops_;
};

/// Returns the area of a fan over a loop.
double fan_area(const std::vector<int>& loop, const TriangleMesh& mesh, const Vector3d& apex) {
  double area = 0.0;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const Vector3d& tail = mesh.vertices[static_cast<std::size_t>(loop[i])];
    const Vector3d& head = mesh.vertices[static_cast<std::size_t>(loop[(i + 1) % loop.size()])];
    area += 0.5 * (head - apex).cross(tail - apex).norm();
  }
  return area;
}

/// Returns the apex of the fan over a loop that has least area: the middle of its vertices, which
/// is added to the mesh, or one of them. A slit that goes round a corner needs the latter.
int apex_of(const std::vector<int>& loop, TriangleMesh& mesh) {
  constexpr std::size_t kMost = 64;  // vertices of a long loop that are tried, evenly spread
  Vector3d sum = Vector3d::Zero();
  for (const int vertex : loop) sum += mesh.vertices[static_cast<std::size_t>(vertex)];
  const Vector3d middle = sum / static_cast<double>(loop.size());
  double least = fan_area(loop, mesh, middle);
  int best = -1;
  const std::size_t every = 1 + (loop.size() - 1) / kMost;
  for (std::size_t i = 0; i < loop.size(); i += every) {
    const double area = fan_area(loop, mesh, mesh.vertices[static_cast<std::size_t>(loop[i])]);
    // The middle counts unless a vertex is far better, as for holes that are no slits.
    if (!(area < (best < 0 ? 0.5 * least : least))) continue;
    least = area;
    best = loop[i];
  }
  if (best >= 0) return best;
  mesh.vertices.push_back(middle);
  return static_cast<int>(mesh.vertices.size()) - 1;
}

}  // namespace

std::optional<TriangleMesh> close_holes(const TriangleMesh& mesh) {
  TriangleMesh closed = mesh;
  double own = 0.0, fans = 0.0;
  for (const std::array<int, 3>& triangle : mesh.triangles) own += area_of(mesh, triangle);
  const std::vector<std::pair<int, int>> borders = borders_of(mesh);
  const HoleLoops holes(mesh, borders);
  for (const std::vector<int>& loop : holes.loops()) {
    const int apex = apex_of(loop, closed);
    // The fan runs along each side against its triangle.
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const std::array<int, 3> triangle{loop[(i + 1) % loop.size()], loop[i], apex};
      if (triangle[0] == apex || triangle[1] == apex) continue;
      closed.triangles.push_back(triangle);
      fans += area_of(closed, triangle);
    }
  }
  if (fans > kHoleShare * own) return std::nullopt;
  return closed;
}

}  // namespace amontons
