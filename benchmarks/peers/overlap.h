#pragma once

#include "amontons/geometry/broad_phase/broad_phase.h"
#include "amontons/geometry/shapes/bounding_box.h"
#include "benchmarks/peers/engine.h"
#include "benchmarks/peers/world.h"

#include <vector>

namespace amontons::peers {

/// Measures the deepest overlap of any two shapes, by exact signed distances.
class OverlapMeter {
 public:
  explicit OverlapMeter(const World& world);

  /// @returns the depth of the deepest pair [m], 0 where nothing overlaps.
  double deepest(const std::vector<BodyState>& states);

 private:
  struct Item {
    int body = -1;  ///< moving body, or -1
    Shape shape;
    Pose X_BG;  ///< pose in the body, or in the world if fixed
  };
  std::vector<Item> items_;
  std::vector<char> is_static_;
  std::vector<Pose> X_WG_;
  std::vector<Aabb> boxes_;
  BroadPhase broad_phase_;
};

}  // namespace amontons::peers
