#include "amontons/geometry/broad_phase/column_grid.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace amontons {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Columns beyond this many from the origin share one, so that a number fits into 32 bits: more
// work, but the same pairs.
constexpr double kFarthestColumn = 1073741824.0;  // 2^30

/// Returns the number of the column that contains a coordinate [m], clamped to the farthest one.
std::int32_t column_number(double lower, double columns_per_meter) {
  const double number = std::floor(lower * columns_per_meter);
  return static_cast<std::int32_t>(std::clamp(number, -kFarthestColumn, kFarthestColumn));
}

/// Returns 1/width [1/m] of columns slightly wider than the widest box [m], so that rounding cannot
/// put touching boxes two columns apart.
double columns_per_meter(double widest, double fallback) {
  const double width = widest > 0.0 ? widest : fallback;
  return width > 0.0 ? 1.0 / ((1.0 + 1e-6) * width) : 1.0;
}

}  // namespace

void ColumnGrid::choose_cell(const std::vector<Aabb>& boxes, std::span<const int> members,
                             std::span<const int> smaller_boxes) {
  // Two boxes whose lower corners are two or more widest boxes apart cannot overlap.
  Eigen::Vector3d widest = Eigen::Vector3d::Zero();
  for (std::span<const int> indices : {members, smaller_boxes}) {
    for (int i : indices) widest = widest.cwiseMax(boxes[at(i)].upper - boxes[at(i)].lower);
  }
  columns_per_meter_y_ = columns_per_meter(widest.y(), widest.maxCoeff());
  columns_per_meter_z_ = columns_per_meter(widest.z(), widest.maxCoeff());
  columns_.clear();
  // At least half of the slots stay free, so that probing ends soon.
  table_.assign(std::bit_ceil(2 * (members.size() + smaller_boxes.size())), -1);
}

/// Returns the slot that holds the column, or the free one where it belongs.
std::size_t ColumnGrid::slot_of(Column column) const {
  // Multiplicative hash by 2^64 over the golden ratio; linear probing resolves collisions.
  const std::uint64_t key = (std::uint64_t{static_cast<std::uint32_t>(column.y)} << 32) |
                            static_cast<std::uint32_t>(column.z);
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u) >> 32) & mask;
  while (table_[slot] >= 0) {
    const Column& other = columns_[at(table_[slot])];
    if (other.y == column.y && other.z == column.z) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

int ColumnGrid::find_column(std::int32_t y, std::int32_t z) const {
  return table_[slot_of({y, z})];
}

void ColumnGrid::assign_columns(const std::vector<Aabb>& boxes, std::span<const int> indices,
                                Layer& layer) {
  layer.column_of.clear();
  for (int i : indices) {
    const Column column{column_number(boxes[at(i)].lower.y(), columns_per_meter_y_),
                        column_number(boxes[at(i)].lower.z(), columns_per_meter_z_)};
    const std::size_t slot = slot_of(column);
    if (table_[slot] < 0) {
      table_[slot] = static_cast<int>(columns_.size());
      columns_.push_back(column);
    }
    layer.column_of.push_back(table_[slot]);
  }
}

/// Numbers the columns row by row, so that neighboring columns are near in memory.
void ColumnGrid::order_columns() {
  const int n = static_cast<int>(columns_.size());
  order_.resize(columns_.size());
  for (int c = 0; c < n; ++c) order_[at(c)] = {columns_[at(c)], c};
  std::sort(order_.begin(), order_.end(), [](const auto& a, const auto& b) {
    return a.first.z != b.first.z ? a.first.z < b.first.z : a.first.y < b.first.y;
  });
  rank_.resize(columns_.size());
  for (int rank = 0; rank < n; ++rank) {
    columns_[at(rank)] = order_[at(rank)].first;
    rank_[at(order_[at(rank)].second)] = rank;
  }
  // The table and the boxes refer to columns by number and take the new ones.
  for (int& column : table_) column = column < 0 ? column : rank_[at(column)];
  for (Layer* layer : {&members_, &smaller_boxes_}) {
    for (int& column : layer->column_of) column = rank_[at(column)];
  }
}

void ColumnGrid::gather(const std::vector<Aabb>& boxes, const std::vector<char>& is_static,
                        std::span<const int> indices, Layer& layer) const {
  // Counting sort by column; the second step sorts each column along x.
  std::vector<std::size_t>& starts = layer.starts;
  starts.assign(columns_.size() + 2, 0);
  for (int column : layer.column_of) ++starts[at(column) + 2];
  for (std::size_t c = 2; c < starts.size(); ++c) starts[c] += starts[c - 1];
  layer.keys.resize(indices.size());
  // Starts are kept one entry ahead: after the scatter, starts[c] is the first box of column c.
  for (std::size_t k = 0; k < indices.size(); ++k) {
    const int i = indices[k];
    layer.keys[starts[at(layer.column_of[k]) + 1]++] = {boxes[at(i)].lower.x(), i};
  }
  const auto begin = layer.keys.begin();
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::sort(begin + static_cast<std::ptrdiff_t>(starts[c]),
              begin + static_cast<std::ptrdiff_t>(starts[c + 1]),
              [](const SortKey& a, const SortKey& b) { return a.x < b.x; });
  }
  // The list is padded because the sweep reads whole lanes beyond the last box.
  layer.list.clear();
  for (const SortKey& key : layer.keys) {
    layer.list.push_back(boxes[at(key.index)], key.index, is_static[at(key.index)] != 0);
  }
  layer.list.pad();
}

SweepList::Run ColumnGrid::run_of(const Layer& layer, int column) {
  return {layer.starts[at(column)], layer.starts[at(column) + 1]};
}

void ColumnGrid::find_pairs(const std::vector<Aabb>& boxes, const std::vector<char>& is_static,
                            std::span<const int> members, std::span<const int> smaller_boxes,
                            PairBuffer& pairs) {
  choose_cell(boxes, members, smaller_boxes);
  assign_columns(boxes, members, members_);
  assign_columns(boxes, smaller_boxes, smaller_boxes_);
  order_columns();
  gather(boxes, is_static, members, members_);
  gather(boxes, is_static, smaller_boxes, smaller_boxes_);

  // Half of the eight neighbors suffice among members; smaller boxes are sought in all
  // nine columns.
  for (int c = 0; c < static_cast<int>(columns_.size()); ++c) {
    const SweepList::Run own = run_of(members_, c);
    if (own.begin == own.end) continue;
    members_.list.find_pairs(own, pairs);
    const auto [y, z] = columns_[at(c)];
    for (std::int32_t dz = -1; dz <= 1; ++dz) {
      for (std::int32_t dy = -1; dy <= 1; ++dy) {
        const bool ahead = dz > 0 || (dz == 0 && dy > 0);  // half the columns: each pair once
        if (!ahead && smaller_boxes.empty()) continue;
        const int other = find_column(y + dy, z + dz);
        if (other < 0) continue;
        if (ahead) members_.list.find_pairs(own, members_.list, run_of(members_, other), pairs);
        members_.list.find_pairs(own, smaller_boxes_.list, run_of(smaller_boxes_, other), pairs);
      }
    }
  }
}

}  // namespace amontons
