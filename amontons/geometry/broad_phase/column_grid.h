#pragma once

#include "amontons/geometry/broad_phase/sweep_list.h"
#include "amontons/geometry/shapes/bounding_box.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace amontons {

/// Overlaps of boxes of like size: a uniform grid in y and z whose columns are swept along x.
///
/// A column is one box wide, so a box meets only the boxes of its own and the eight columns around
/// it; columns are found by hashing, so that far-away boxes cost nothing. Holds scratch memory
/// only.
class ColumnGrid {
 public:
  /// Appends the overlapping pairs among `members`, and between `members` and `guests` (boxes no
  /// larger than the members), each once, as (smaller index, larger index) in no special order.
  /// Pairs of two static boxes are left out.
  void find_pairs(const std::vector<Aabb>& boxes, const std::vector<char>& is_static,
                  std::span<const int> members, std::span<const int> guests, PairBuffer& pairs);

 private:
  struct Column {
    std::int32_t y, z;
  };
  struct SortKey {
    double x;
    int index;
  };
  // Boxes gathered by column; those of column c are list [starts[c], starts[c + 1]).
  struct Layer {
    std::vector<int> column_of;
    std::vector<std::size_t> starts;
    std::vector<SortKey> keys;
    SweepList list;
  };

  void choose_cell(const std::vector<Aabb>& boxes, std::span<const int> members,
                   std::span<const int> guests);
  std::size_t slot_of(Column column) const;
  int find_column(std::int32_t y, std::int32_t z) const;
  void assign_columns(const std::vector<Aabb>& boxes, std::span<const int> indices, Layer& layer);
  void order_columns();
  void gather(const std::vector<Aabb>& boxes, const std::vector<char>& is_static,
              std::span<const int> indices, Layer& layer) const;
  static SweepList::Run run_of(const Layer& layer, int column);

  double columns_per_meter_y_ = 1.0, columns_per_meter_z_ = 1.0;
  std::vector<Column> columns_;
  std::vector<std::pair<Column, int>> order_;
  std::vector<int> rank_;
  std::vector<int> table_;  // open addressing, a power of two: column or -1
  Layer members_, guests_;
};

}  // namespace amontons
