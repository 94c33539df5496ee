#pragma once

#include "amontons/geometry/broad_phase/sweep_list.h"
#include "amontons/geometry/shapes/bounding_box.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace amontons {

/// Finds overlaps of boxes of like size: a uniform grid in y and z whose columns are swept along x.
///
/// A column is one box wide, so a box meets only the boxes of its own and the eight columns around
/// it. Columns are found by hashing, so that distant boxes cost nothing. The object holds scratch
/// memory only.
class ColumnGrid {
 public:
  /// Appends the overlapping pairs among `members`, and between `members` and `smaller_boxes` (no
  /// larger than the members). Each appears once, as (smaller index, larger index), in no special
  /// order. Pairs of two static boxes are left out.
  void find_pairs(const std::vector<Aabb>& boxes, const std::vector<char>& is_static,
                  std::span<const int> members, std::span<const int> smaller_boxes,
                  PairBuffer& pairs);

 private:
  /// Numbers a column along y and z, in units of the columns' widths.
  struct Column {
    std::int32_t y, z;
  };
  /// Orders boxes along x by their lower bound [m].
  struct SortKey {
    double x;
    int index;
  };
  /// Holds boxes gathered by column; those of column c are list [starts[c], starts[c + 1]).
  struct Layer {
    std::vector<int> column_of;
    std::vector<std::size_t> starts;
    std::vector<SortKey> keys;
    SweepList list;
  };

  /// Sets the widths of the columns from the widest box and empties the table of columns.
  void choose_cell(const std::vector<Aabb>& boxes, std::span<const int> members,
                   std::span<const int> smaller_boxes);
  std::size_t slot_of(Column column) const;
  /// Returns the number of a column, or -1 if no box lies in it.
  int find_column(std::int32_t y, std::int32_t z) const;
  /// Finds the column of each box by its lower corner, and creates the columns that are missing.
  void assign_columns(const std::vector<Aabb>& boxes, std::span<const int> indices, Layer& layer);
  void order_columns();
  /// Sorts the boxes of a layer by column, and each column along x.
  void gather(const std::vector<Aabb>& boxes, const std::vector<char>& is_static,
              std::span<const int> indices, Layer& layer) const;
  static SweepList::Run run_of(const Layer& layer, int column);

  double columns_per_meter_y_ = 1.0, columns_per_meter_z_ = 1.0;  // [1/m]
  std::vector<Column> columns_;
  std::vector<std::pair<Column, int>> order_;  // scratch: columns with their old numbers
  std::vector<int> rank_;                      // new number of each column
  std::vector<int> table_;                     // open addressing, a power of two: column or -1
  Layer members_, smaller_boxes_;
};

}  // namespace amontons
