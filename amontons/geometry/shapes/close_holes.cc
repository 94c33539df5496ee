#include "amontons/geometry/shapes/close_holes.h"

#include "amontons/geometry/shapes/hull_facets.h"
#include "amontons/math/disjoint_sets.h"

#include <Eigen/Core>

#include <algorithm>
#include <array>
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

}  // namespace

std::optional<TriangleMesh> close_holes(const TriangleMesh& mesh) {
  // Sides that share vertices form a hole.
  const std::vector<std::pair<int, int>> borders = borders_of(mesh);
  DisjointSets holes(mesh.vertices.size());
  for (const auto& [tail, head] : borders) holes.join(tail, head);
  std::map<int, std::pair<Vector3d, int>> middles;  // sum and number of the tails, by hole
  for (const auto& [tail, head] : borders) {
    auto& [sum, count] = middles.try_emplace(holes.root(tail), Vector3d::Zero(), 0).first->second;
    sum += mesh.vertices[static_cast<std::size_t>(tail)];
    ++count;
  }
  TriangleMesh closed = mesh;
  std::map<int, int> middle_of;
  for (const auto& [hole, middle] : middles) {
    middle_of[hole] = static_cast<int>(closed.vertices.size());
    closed.vertices.push_back(middle.first / middle.second);
  }
  double own = 0.0, fans = 0.0;
  for (const std::array<int, 3>& triangle : mesh.triangles) own += area_of(mesh, triangle);
  // A fan runs along each side against its triangle.
  for (const auto& [tail, head] : borders) {
    closed.triangles.push_back({head, tail, middle_of.at(holes.root(tail))});
    fans += area_of(closed, closed.triangles.back());
  }
  if (fans > kHoleShare * own) return std::nullopt;
  return closed;
}

}  // namespace amontons
