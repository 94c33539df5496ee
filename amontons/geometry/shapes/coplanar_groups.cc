#include "amontons/geometry/shapes/coplanar_groups.h"

#include "amontons/math/stop.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace amontons {
namespace {

/// Returns the length of the longest side of a loop [m].
double longest_side(const std::vector<Eigen::Vector3d>& points, const FacetLoop& loop) {
  double longest = 0.0;
  for (std::size_t k = 0; k < loop.size(); ++k) {
    const Eigen::Vector3d& next = points[static_cast<std::size_t>(loop[(k + 1) % loop.size()])];
    longest = std::max(longest, (next - points[static_cast<std::size_t>(loop[k])]).norm());
  }
  return longest;
}

}  // namespace

std::vector<int> group_coplanar(const std::vector<Eigen::Vector3d>& points,
                                const std::vector<FacetLoop>& facets,
                                const std::vector<std::vector<int>>& neighbors, double tolerance) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  // Facets by decreasing area: the normal of the largest of a group is the most accurate one.
  std::vector<Eigen::Vector3d> areas;
  for (const FacetLoop& loop : facets) areas.push_back(area_vector(points, loop));
  std::vector<int> by_area(facets.size());
  std::iota(by_area.begin(), by_area.end(), 0);
  std::stable_sort(by_area.begin(), by_area.end(), [&](int a, int b) {
    check_stop();
    return areas[at(a)].squaredNorm() > areas[at(b)].squaredNorm();
  });

  // Each group grows over neighbors from its largest facet until none of them joins.
  std::vector<int> group(facets.size(), -1), to_visit;
  for (int seed : by_area) {
    if (group[at(seed)] >= 0) continue;
    group[at(seed)] = seed;
    const Eigen::Vector3d normal = loop_normal(points, facets[at(seed)]);
    const Eigen::Vector3d& origin = points[at(facets[at(seed)].front())];
    const auto joins = [&](int facet) {
      // cos 60 degrees = 0.5; a facet thinner than the tolerance may face any way.
      const double area = areas[at(facet)].norm();
      const bool turned = areas[at(facet)].dot(normal) < 0.5 * area &&
                          area > tolerance * longest_side(points, facets[at(facet)]);
      return group[at(facet)] < 0 && !turned &&
             std::all_of(facets[at(facet)].begin(), facets[at(facet)].end(), [&](int v) {
               return std::abs(normal.dot(points[at(v)] - origin)) <= tolerance;
             });
    };
    // Flood fill over the sides of the facets.
    to_visit.assign(1, seed);
    while (!to_visit.empty()) {
      check_stop();
      const int facet = to_visit.back();
      to_visit.pop_back();
      for (const int neighbor : neighbors[at(facet)]) {
        if (neighbor < 0 || !joins(neighbor)) continue;
        group[at(neighbor)] = seed;
        to_visit.push_back(neighbor);
      }
    }
  }
  return group;
}

}  // namespace amontons
