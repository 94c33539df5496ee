#pragma once

#include "amontons/geometry/broad_phase/column_grid.h"
#include "amontons/geometry/shapes/bounding_box.h"

#include <utility>
#include <vector>

namespace amontons {

/// Finds all pairs (i, j), i < j, of overlapping boxes, in lexicographic order. Touching counts.
///
/// Boxes are sorted into classes of like size (within a factor of four). Each class has a uniform
/// grid as wide as its boxes, in which the class meets itself and all smaller boxes. Unbounded
/// boxes, and classes of a few boxes, are compared with every other box. The time per box does not
/// depend on their number. Scratch memory is kept between calls; results never depend on it.
class BroadPhase {
 public:
  /// Returns the pairs of overlapping boxes.
  /// @param boxes   one per shape.
  /// @param is_static  same size: pairs of two static boxes are not reported.
  /// @returns the pairs; valid until the next call.
  /// @throws std::invalid_argument if the sizes differ.
  const std::vector<std::pair<int, int>>& find_pairs(const std::vector<Aabb>& boxes,
                                                     const std::vector<char>& is_static);

 private:
  void sort_by_size(const std::vector<Aabb>& boxes);
  void pair_loners(const std::vector<Aabb>& boxes, const std::vector<char>& is_static);

  ColumnGrid grid_;
  PairBuffer found_;                                    // pairs in the order of discovery
  std::vector<std::pair<int, int>> by_second_, pairs_;  // results of the two sorting passes
  std::vector<int> exponents_, by_size_, ungridded_;  // per box; boxes by class; boxes of no class
  std::vector<std::size_t> class_starts_, sort_starts_;  // classes in by_size_; scratch
  std::vector<char> is_loner_;
};

}  // namespace amontons
