#include "amontons/optimization/block_factorization.h"

#include "amontons/math/panel_product.h"

#include <algorithm>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Map;
using Eigen::MatrixXd;
using PanelPart = Map<MatrixXd, 0, Eigen::OuterStride<>>;
using ConstPanel = Map<const MatrixXd, 0, Eigen::OuterStride<>>;

constexpr int kMostColumns = 48;  // of a panel: its rows then stay in the processor's second cache

}  // namespace

void BlockFactorization::set_pattern(std::span<const int> sizes,
                                     std::span<const std::pair<int, int>> pairs) {
  if (std::equal(sizes.begin(), sizes.end(), sizes_.begin(), sizes_.end()) &&
      std::equal(pairs.begin(), pairs.end(), pairs_.begin(), pairs_.end())) {
    return;
  }
  sizes_.assign(sizes.begin(), sizes.end());
  pairs_.assign(pairs.begin(), pairs.end());
  plan_ = plan_elimination(sizes_, pairs_, kMostColumns);
  layout_ = PanelLayout(plan_, sizes_);
  arrange_given();
  lower_.assign(layout_.store_size, 0.0);
  upper_.clear();
  product_.assign(layout_.product_size, 0.0);
  pivots_.assign(static_cast<std::size_t>(first_rows_.back()), 0);
  solution_.resize(first_rows_.back());
}

void BlockFactorization::arrange_given() {
  first_rows_.assign(1, 0);
  for (const int size : sizes_) first_rows_.push_back(first_rows_.back() + size);
  blocks_.clear();
  for (int i = 0; i < num_nodes(); ++i) blocks_.push_back({i, i, 0, {}, false});
  for (const auto& [i, j] : pairs_) {
    if (i == j) continue;
    blocks_.push_back({i, j, 0, {}, false});
    blocks_.push_back({j, i, 0, {}, false});
  }
  const auto key = [](const Given& block) { return std::pair(block.column, block.row); };
  std::sort(blocks_.begin(), blocks_.end(),
            [&](const Given& a, const Given& b) { return key(a) < key(b); });
  blocks_.erase(std::unique(blocks_.begin(), blocks_.end(),
                            [&](const Given& a, const Given& b) { return key(a) == key(b); }),
                blocks_.end());
  starts_.assign(1, 0);
  std::size_t num_values = 0;
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    Given& block = blocks_[k];
    block.values = num_values;
    num_values += static_cast<std::size_t>(sizes_[static_cast<std::size_t>(block.row)] *
                                           sizes_[static_cast<std::size_t>(block.column)]);
    block.transposed = layout_.is_above(block.row, block.column);
    block.place = block.transposed ? layout_.find(block.column, block.row)
                                   : layout_.find(block.row, block.column);
    while (starts_.size() <= static_cast<std::size_t>(block.column)) starts_.push_back(k);
  }
  starts_.push_back(blocks_.size());
  given_.assign(num_values, 0.0);
}

void BlockFactorization::clear() { std::fill(given_.begin(), given_.end(), 0.0); }

Map<MatrixXd> BlockFactorization::block(int i, int j) {
  const auto begin =
      blocks_.begin() + static_cast<std::ptrdiff_t>(starts_[static_cast<std::size_t>(j)]);
  const auto end =
      blocks_.begin() + static_cast<std::ptrdiff_t>(starts_[static_cast<std::size_t>(j) + 1]);
  const auto found =
      std::lower_bound(begin, end, i, [](const Given& block, int row) { return block.row < row; });
  return {given_.data() + found->values, sizes_[static_cast<std::size_t>(i)],
          sizes_[static_cast<std::size_t>(j)]};
}

void BlockFactorization::fill_panels() {
  std::fill(lower_.begin(), lower_.end(), 0.0);
  if (!symmetric_) upper_.assign(lower_.size(), 0.0);
  for (const Given& block : blocks_) {
    if (symmetric_ && !is_stored(block.row, block.column)) continue;
    const Index rows = sizes_[static_cast<std::size_t>(block.row)];
    const Index columns = sizes_[static_cast<std::size_t>(block.column)];
    const Map<const MatrixXd> values(given_.data() + block.values, rows, columns);
    const Eigen::OuterStride<> stride(block.place.stride);
    if (block.transposed) {
      PanelPart(upper_.data() + block.place.offset, columns, rows, stride) = values.transpose();
    } else {
      PanelPart(lower_.data() + block.place.offset, rows, columns, stride) = values;
    }
  }
}

bool BlockFactorization::factor(bool symmetric) {
  symmetric_ = symmetric;
  fill_panels();
  for (const Panel& panel : layout_.panels) {
    double* lower = lower_.data() + panel.offset;
    const bool regular =
        symmetric ? elimination_.factor_symmetric(lower, panel.columns, panel.rows, panel.stride)
                  : elimination_.factor(lower, upper_.data() + panel.offset, panel.columns,
                                        panel.rows, panel.stride, pivots_.data() + panel.start);
    if (!regular) return false;
    update_ancestors(panel);
  }
  return true;
}

/// The Schur complement of a supernode: A(i, k) -= L(i, supernode) U(supernode, k).
void BlockFactorization::update_ancestors(const Panel& panel) {
  const double* lower = lower_.data() + panel.offset + panel.columns;
  const double* upper = (symmetric_ ? lower_ : upper_).data() + panel.offset + panel.columns;
  for (std::size_t k = panel.first_update; k < panel.end_update; ++k) {
    const Update& update = layout_.updates[k];
    const Index columns = update.end - update.first;
    const auto multiply = [&](const double* A, Index first, const double* B) {
      const Index rows = panel.rows - first;
      multiply_by_transposed({A + first, panel.stride}, {B + update.first, panel.stride}, rows,
                             columns, panel.columns, product_.data(), round_up(rows, kTileRows));
    };
    multiply(lower, update.first, upper);
    subtract_product(panel, update, update.first, lower_);
    if (symmetric_ || update.end == panel.rows) continue;
    multiply(upper, update.end, lower);
    subtract_product(panel, update, update.end, upper_);
  }
}

/// Subtracts the product of rows from `first` on where the update's ancestor has them.
void BlockFactorization::subtract_product(const Panel& panel, const Update& update, Index first,
                                          std::vector<double>& store) {
  const Panel& target = layout_.panels[update.ancestor];
  const std::span<const PanelLayout::Run> runs = layout_.runs_of(update);
  const Index stride = round_up(panel.rows - first, kTileRows), skipped = first - update.first;
  for (const PanelLayout::Run& columns : runs) {
    if (columns.to >= target.columns) break;
    for (Index c = 0; c < columns.length; ++c) {
      const double* from = product_.data() + (columns.from + c) * stride;
      double* to = store.data() + target.offset + (columns.to + c) * target.stride;
      for (const PanelLayout::Run& run : runs) {
        if (run.from < skipped) continue;
        Map<Eigen::VectorXd>(to + run.to, run.length) -=
            Map<const Eigen::VectorXd>(from + (run.from - skipped), run.length);
      }
    }
  }
}

void BlockFactorization::solve(Eigen::Ref<Eigen::VectorXd> x) {
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    solution_.segment(layout_.starts[i], sizes_[i]) = x.segment(first_rows_[i], sizes_[i]);
  }
  for (const Panel& panel : layout_.panels) solve_lower(panel);
  for (std::size_t k = layout_.panels.size(); k-- > 0;) solve_upper(layout_.panels[k]);
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    x.segment(first_rows_[i], sizes_[i]) = solution_.segment(layout_.starts[i], sizes_[i]);
  }
}

void BlockFactorization::solve_lower(const Panel& panel) {
  const double* lower = lower_.data() + panel.offset;
  double* own = solution_.data() + panel.start;
  if (!symmetric_) {
    for (Index k = 0; k < panel.columns; ++k) {
      std::swap(own[k], own[pivots_[static_cast<std::size_t>(panel.start + k)]]);
    }
  }
  for (Index k = 0; k < panel.columns; ++k) {
    const double* column = lower + k * panel.stride;
    if (symmetric_) own[k] /= column[k];
    for (Index i = k + 1; i < panel.columns; ++i) own[i] -= column[i] * own[k];
  }
  segment_.noalias() = ConstPanel(lower + panel.columns, panel.rows, panel.columns,
                                  Eigen::OuterStride<>(panel.stride)) *
                       Map<const Eigen::VectorXd>(own, panel.columns);
  const std::span<const Index> rows = layout_.rows_of(panel);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    solution_[rows[r]] -= segment_[static_cast<Index>(r)];
  }
}

void BlockFactorization::solve_upper(const Panel& panel) {
  const double* lower = lower_.data() + panel.offset;
  const double* upper = (symmetric_ ? lower_ : upper_).data() + panel.offset;
  Map<Eigen::VectorXd> own(solution_.data() + panel.start, panel.columns);
  const std::span<const Index> rows = layout_.rows_of(panel);
  segment_.resize(panel.rows);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    segment_[static_cast<Index>(r)] = solution_[rows[r]];
  }
  own.noalias() -= ConstPanel(upper + panel.columns, panel.rows, panel.columns,
                              Eigen::OuterStride<>(panel.stride))
                       .transpose() *
                   segment_;
  for (Index k = panel.columns; k-- > 0;) {
    const double* column = lower + k * panel.stride;
    if (symmetric_) {
      for (Index i = k + 1; i < panel.columns; ++i) own[k] -= column[i] * own[i];
    }
    own[k] /= column[k];
    if (symmetric_) continue;
    for (Index i = 0; i < k; ++i) own[i] -= column[i] * own[k];
  }
}

}  // namespace amontons
