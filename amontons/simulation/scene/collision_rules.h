#pragma once

#include "amontons/simulation/scene/source_location.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace amontons {

/// Admits a pair of shapes if the category of one and the mask of the other share a bit, either
/// way.
struct CollisionFilter {
  std::uint32_t category = 1, mask = 1;  ///< bits

  /// Returns true if shapes with these filters may collide.
  bool admits(const CollisionFilter& other) const {
    return (category & other.mask) != 0 || (other.category & mask) != 0;
  }
  /// Returns the filter of a shape that collides with nothing.
  static CollisionFilter none() { return {0, 0}; }
  /// Returns true for a filter that admits nothing.
  bool is_none() const { return category == 0 && mask == 0; }
};

/// Names a shape by its body and its place in the list of the body's shapes.
struct ShapeSite {
  int body = 0;   ///< bodies of the scene first, then the links of each model
  int shape = 0;  ///< index in the shapes of the body or link

  // Written out for adapters of other simulators, whose headers need C++17.
  /// Compares member by member.
  friend bool operator==(const ShapeSite& x, const ShapeSite& y) {
    return x.body == y.body && x.shape == y.shape;
  }
  /// Orders by body, then by shape.
  friend bool operator<(const ShapeSite& x, const ShapeSite& y) {
    return x.body < y.body || (x.body == y.body && x.shape < y.shape);
  }
};

/// Says that some pairs of shapes do not collide, or that they do. It precedes masks, joints and
/// what a model's file says.
struct CollisionRule {
  bool collide = false;                     ///< true: the pairs collide
  std::vector<ShapeSite> first, second;     ///< any of `first` with any of `second`
  std::vector<std::pair<int, int>> joined;  ///< pairs of bodies, by number as in ShapeSite
  SourceLocation where;                     ///< its place in the file
};

}  // namespace amontons
