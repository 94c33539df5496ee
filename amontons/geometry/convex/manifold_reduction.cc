#include "amontons/geometry/convex/manifold_reduction.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <limits>
#include <utility>

namespace amontons::narrow_phase {
namespace {

constexpr double kTie = 1e-6;  // relative difference of areas that counts as none [-]

// Distance from the points kept, in their diameter, from which a point of a larger gap is kept [-].
constexpr double kFar = 0.4;

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

/// Holds the contacts of one normal that are kept.
class KeptPoints {
 public:
  explicit KeptPoints(const std::vector<ContactPoint>& contacts) : contacts_(contacts) {}

  /// Adds points of one gap, each time the one farthest from those kept: the first ones, and at
  /// larger gaps than the least such as are far from all of them.
  void add(std::vector<std::size_t> group, std::vector<char>& is_kept) {
    while (!group.empty()) {
      std::size_t next = 0;
      double farthest = -1.0;
      for (std::size_t i = 0; i < group.size(); ++i) {
        const double away = distance(group[i]);
        if (away <= farthest * (1.0 + kTie)) continue;
        farthest = away;
        next = i;
      }
      const bool is_far = farthest > kFar * diameter_;
      const bool is_among_first = kept_.size() < static_cast<std::size_t>(kMaxManifoldPoints);
      if (farthest == 0.0 || !(is_among_first || (is_far && !lowest_))) break;
      is_kept[group[next]] = 1;
      for (const std::size_t k : kept_) diameter_ = std::max(diameter_, between(k, group[next]));
      kept_.push_back(group[next]);
      group.erase(group.begin() + static_cast<std::ptrdiff_t>(next));
    }
    lowest_ = false;
  }

 private:
  double between(std::size_t j, std::size_t k) const {
    return (contacts_[j].position_W - contacts_[k].position_W).norm();
  }
  /// Returns the distance of a point from those kept [m].
  double distance(std::size_t k) const {
    double least = std::numeric_limits<double>::infinity();
    for (const std::size_t other : kept_) least = std::min(least, between(k, other));
    return least;
  }

  const std::vector<ContactPoint>& contacts_;
  std::vector<std::size_t> kept_;
  double diameter_ = 0.0;  // of the points kept [m]
  bool lowest_ = true;     // the coming group is that of the least gap
};

/// Marks the members of a group with one normal that are kept.
void mark_kept(const std::vector<ContactPoint>& contacts, double tie,
               std::vector<std::size_t>& group, std::vector<char>& is_kept) {
  std::stable_sort(group.begin(), group.end(),
                   [&](std::size_t j, std::size_t k) { return contacts[j].gap < contacts[k].gap; });
  KeptPoints kept(contacts);
  for (std::size_t first = 0, next = 0; first < group.size(); first = next) {
    while (next < group.size() && contacts[group[next]].gap <= contacts[group[first]].gap + tie) {
      ++next;
    }
    std::vector<std::size_t> level(group.begin() + static_cast<std::ptrdiff_t>(first),
                                   group.begin() + static_cast<std::ptrdiff_t>(next));
    // Points of one gap keep the order of their names.
    std::sort(level.begin(), level.end());
    kept.add(std::move(level), is_kept);
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

void reduce_parallel(double tie, std::vector<ContactPoint>& contacts) {
  if (contacts.size() < 2) return;
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
    mark_kept(contacts, tie, group, is_kept);
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
