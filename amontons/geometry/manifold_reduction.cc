#include "amontons/geometry/manifold_reduction.h"

#include <Eigen/Geometry>

#include <limits>

namespace amontons::narrow_phase {
namespace {

constexpr double kTie = 1e-6;  // relative difference of areas that counts as none

double area_at(const FeatureOverlap& ring, int k) {
  const auto at = [&](int i) -> const Eigen::Vector3d& {
    return ring.points[static_cast<std::size_t>((i + ring.count) % ring.count)].a;
  };
  return (at(k) - at(k - 1)).cross(at(k + 1) - at(k)).norm();
}

int deepest_of(const FeatureOverlap& ring) {
  int deepest = 0;
  for (int k = 1; k < ring.count; ++k) {
    if (ring.points[static_cast<std::size_t>(k)].gap <
        ring.points[static_cast<std::size_t>(deepest)].gap) {
      deepest = k;
    }
  }
  return deepest;
}

}  // namespace

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
