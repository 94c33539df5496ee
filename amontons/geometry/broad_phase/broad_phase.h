#pragma once

#include "amontons/geometry/broad_phase/column_grid.h"
#include "amontons/geometry/shapes/bounding_box.h"

#include <utility>
#include <vector>

namespace amontons {

/// All pairs (i, j), i < j, of overlapping boxes, in lexicographic order. Touching counts.
///
/// Boxes are sorted into classes of like size (within a factor of four). Each class has a uniform
/// grid as wide as its boxes, in which the class meets itself and all smaller boxes. Unbounded
/// boxes, and classes of a few boxes, are compared with every other box. Time per box does not
/// depend on their number. Scratch memory is kept between calls; results never depend on it.
class BroadPhase {
 public:
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
  PairBuffer found_;
  std::vector<std::pair<int, int>> by_second_, pairs_;
  std::vector<int> exponents_, by_size_, loners_;
  std::vector<std::size_t> class_starts_, sort_starts_;
  std::vector<char> is_loner_;
};

}  // namespace amontons
