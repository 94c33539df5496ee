#include "amontons/geometry/manifold_reduction.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <limits>

namespace amontons::narrow_phase {
namespace {

constexpr double kTie = 1e-6;      // relative difference of areas that counts as none
constexpr double kSameGap = 1e-7;  // difference of gaps that counts as none, relative to the ring

double area_at(const FeatureOverlap& ring, int k) {
  const auto at = [&](int i) -> const Eigen::Vector3d& {
    return ring.points[static_cast<std::size_t>((i + ring.count) % ring.count)].a;
  };
  return (at(k) - at(k - 1)).cross(at(k + 1) - at(k)).norm();
}

/// The deepest point, or -1 if several are as deep up to rounding.
int deepest_of(const FeatureOverlap& ring) {
  int deepest = 0;
  double second = std::numeric_limits<double>::infinity();
  for (int k = 1; k < ring.count; ++k) {
    const double gap = ring.points[static_cast<std::size_t>(k)].gap;
    const double least = ring.points[static_cast<std::size_t>(deepest)].gap;
    second = std::min(second, std::max(gap, least));
    if (gap < least) deepest = k;
  }
  const double extent =
      (ring.points[0].a - ring.points[static_cast<std::size_t>(ring.count / 2)].a).norm();
  const bool is_unique =
      ring.points[static_cast<std::size_t>(deepest)].gap < second - kSameGap * extent;
  return is_unique ? deepest : -1;
}

}  // namespace

void thin_cap(FeatureOverlap& ring) {
  if (ring.count != kCylinderRing) return;
  const std::uint32_t first = ring.points[0].feature;
  const bool of_A = first < vertex_of_B(0);
  const std::uint32_t odd = of_A ? 1u << 14 : 1u;
  const std::uint32_t label = first >> 28;
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

void reduce_ring(FeatureOverlap& ring) {
  while (ring.count > kMaxManifoldPoints) {
    const int deepest = deepest_of(ring);
    int cheapest = -1;
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k < ring.count; ++k) {
      const double area = area_at(ring, k);
      if (k != deepest && area < least * (1.0 - kTie)) {
        least = area;
        cheapest = k;
      }
    }
    for (int k = cheapest; k + 1 < ring.count; ++k) {
      ring.points[static_cast<std::size_t>(k)] = ring.points[static_cast<std::size_t>(k) + 1];
    }
    --ring.count;
  }
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
