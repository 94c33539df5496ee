#include "amontons/geometry/convex/manifold_reduction.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <limits>

namespace amontons::narrow_phase {
namespace {

constexpr double kTie = 1e-6;  // relative difference of areas that counts as none [-]

/// Returns the area lost if corner k is dropped, times two [m^2].
double area_at(const FeatureOverlap& ring, int k) {
  const auto at = [&](int i) -> Eigen::Vector3d {
    const auto& point = ring.points[static_cast<std::size_t>((i + ring.count) % ring.count)];
    return 0.5 * (point.a + point.b);
  };
  return (at(k) - at(k - 1)).cross(at(k + 1) - at(k)).norm();
}

/// Returns the point of least gap; the first of equal ones.
const FeatureOverlap::Point& deepest_of(const FeatureOverlap& ring) {
  return *std::min_element(ring.points.begin(), ring.points.begin() + ring.count,
                           [](const auto& p, const auto& q) { return p.gap < q.gap; });
}

/// Drops the corner that costs the least area; of nearly equal ones the first.
void drop_cheapest(FeatureOverlap& ring) {
  int cheapest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < ring.count; ++k) {
    const double area = area_at(ring, k);
    if (area < least * (1.0 - kTie)) {
      least = area;
      cheapest = k;
    }
  }
  for (int k = cheapest; k + 1 < ring.count; ++k) {
    ring.points[static_cast<std::size_t>(k)] = ring.points[static_cast<std::size_t>(k) + 1];
  }
  --ring.count;
}

/// Marks the members of a group that are kept, by farthest-point sampling from the deepest.
void mark_kept(const std::vector<ContactPoint>& contacts, const std::vector<std::size_t>& group,
               std::vector<char>& is_kept) {
  const auto limit = static_cast<std::size_t>(kMaxManifoldPoints);
  std::size_t next = group.front();
  for (const std::size_t k : group) {
    if (contacts[k].gap < contacts[next].gap) next = k;
  }
  // Each round keeps the point farthest from all kept ones and updates the distances from them.
  std::vector<double> distance(group.size(), std::numeric_limits<double>::infinity());
  for (std::size_t count = 0; count < std::min(limit, group.size()); ++count) {
    is_kept[next] = 1;
    const Eigen::Vector3d kept = contacts[next].position_W;
    double farthest = 0.0;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const double to_kept = (contacts[group[i]].position_W - kept).squaredNorm();
      distance[i] = std::min(distance[i], to_kept);
      if (distance[i] <= farthest * (1.0 + kTie)) continue;
      farthest = distance[i];
      next = group[i];
    }
    if (farthest == 0.0) return;
  }
}

}  // namespace

void thin_cap(FeatureOverlap& ring) {
  if (ring.count != kCylinderRing) return;
  const std::uint32_t first = ring.points[0].feature;
  // The ids of a vertex of A and of B lie in different bits of the name.
  const bool of_A = first < vertex_of_B(0);
  const std::uint32_t odd = of_A ? 1u << 14 : 1u;
  const std::uint32_t label = first >> 28;
  // Other points than vertices of one cap: the ring is not whole.
  for (int k = 0; k < ring.count; ++k) {
    if (ring.points[static_cast<std::size_t>(k)].feature >> 28 != label) return;
  }
  int kept = 0;
  for (int k = 0; k < ring.count; ++k) {
    const FeatureOverlap::Point& point = ring.points[static_cast<std::size_t>(k)];
    if ((point.feature & odd) == 0) ring.points[static_cast<std::size_t>(kept++)] = point;
  }
  ring.count = kept;
}

void reduce_ring(FeatureOverlap& ring, int limit) {
  if (ring.count <= limit) return;
  const FeatureOverlap::Point deepest = deepest_of(ring);
  while (ring.count > limit) drop_cheapest(ring);
  // The choice is by shape alone, so that names stay the same. If it misses the deepest point, that
  // replaces its nearest neighbor.
  if (deepest_of(ring).gap <= deepest.gap) return;
  FeatureOverlap::Point* nearest = &ring.points[0];
  for (int k = 1; k < ring.count; ++k) {
    FeatureOverlap::Point& point = ring.points[static_cast<std::size_t>(k)];
    if ((point.a - deepest.a).squaredNorm() < (nearest->a - deepest.a).squaredNorm()) {
      nearest = &point;
    }
  }
  *nearest = deepest;
}

void reduce_parallel(std::vector<ContactPoint>& contacts) {
  if (contacts.size() <= static_cast<std::size_t>(kMaxManifoldPoints)) return;
  std::vector<char> is_kept(contacts.size(), 0), is_done(contacts.size(), 0);
  std::vector<std::size_t> group;
  // Each contact not yet in a group begins one with all that have its normal.
  for (std::size_t first = 0; first < contacts.size(); ++first) {
    if (is_done[first]) continue;
    group.clear();
    for (std::size_t k = first; k < contacts.size(); ++k) {
      const double turn = (contacts[k].normal_W - contacts[first].normal_W).norm();
      if (is_done[k] || turn > kParallelSine) continue;
      is_done[k] = 1;
      group.push_back(k);
    }
    mark_kept(contacts, group, is_kept);
  }
  std::size_t kept = 0;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    if (is_kept[k]) contacts[kept++] = contacts[k];
  }
  contacts.resize(kept);
}

void keep_within(double horizon, FeatureOverlap& ring) {
  int kept = 0;
  for (int k = 0; k < ring.count; ++k) {
    if (ring.points[static_cast<std::size_t>(k)].gap > horizon) continue;
    ring.points[static_cast<std::size_t>(kept++)] = ring.points[static_cast<std::size_t>(k)];
  }
  ring.count = kept;
}

}  // namespace amontons::narrow_phase
