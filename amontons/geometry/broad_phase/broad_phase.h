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
/// depend on their number. A few boxes in all, as of one robot, are compared with each other.
///
/// Boxes and pairs of the last call are kept. Where a few boxes have changed since then, these
/// alone are compared with the others: a robot in a large world, or what moves among much at rest.
/// The results never depend on what is kept.
class BroadPhase {
 public:
  /// Returns the pairs of overlapping boxes.
  /// @param boxes   one per shape.
  /// @param is_static  same size: pairs of two static boxes are not reported.
  /// @returns the pairs; valid until the next call.
  /// @throws std::invalid_argument if the sizes differ.
  /// @throws std::domain_error if there are more pairs than PairBuffer::kMostPairs.
  const std::vector<std::pair<int, int>>& find_pairs(const std::vector<Aabb>& boxes,
                                                     const std::vector<char>& is_static);

 private:
  /// Finds the pairs by comparing each box with each.
  void compare_all(const std::vector<Aabb>& boxes, const std::vector<char>& is_static);
  /// Notes the boxes that differ from those of the last call.
  /// @returns false if they are too many to be sought by themselves, or their number differs.
  bool find_changed(const std::vector<Aabb>& boxes, const std::vector<char>& is_static);
  /// Replaces the pairs of the changed boxes in those of the last call.
  void update_pairs(const std::vector<Aabb>& boxes, const std::vector<char>& is_static);
  /// Finds the pairs of all boxes anew.
  void search(const std::vector<Aabb>& boxes, const std::vector<char>& is_static);
  void sort_by_size(const std::vector<Aabb>& boxes);
  void pair_loners(const std::vector<Aabb>& boxes, const std::vector<char>& is_static);

  ColumnGrid grid_;
  PairBuffer found_;                                    // pairs in the order of discovery
  std::vector<std::pair<int, int>> by_second_, pairs_;  // results of the two sorting passes
  std::vector<int> exponents_, by_size_, ungridded_;  // per box; boxes by class; boxes of no class
  std::vector<std::size_t> class_starts_, sort_starts_;  // classes in by_size_; scratch
  std::vector<char> is_loner_;

  std::vector<Aabb> last_boxes_;  // of the last call, as the flags
  std::vector<char> last_is_static_;
  std::vector<int> changed_;
  std::vector<char> is_changed_;               // per box
  std::vector<std::pair<int, int>> replaced_;  // scratch: pairs of changed boxes
};

}  // namespace amontons
