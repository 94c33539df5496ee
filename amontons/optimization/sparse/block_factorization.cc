#include "amontons/optimization/sparse/block_factorization.h"

#include "amontons/math/stop.h"
#include "amontons/optimization/sparse/panel_product.h"

#include <algorithm>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Map;
using Eigen::MatrixXd;
using ConstPanel = Map<const MatrixXd, 0, Eigen::OuterStride<>>;

constexpr std::size_t kFilled = 1 << 20;  // entries set to zero between two polls of a stop
constexpr int kMaxColumns = 48;  // columns of a panel: its rows then stay in the second-level cache

/// Computes x -= a x_k for the rows from `first` to `end` of a column a.
void subtract_column(const double* a, double x_k, Index first, Index end, double* x) {
  for (Index i = first; i < end; ++i) x[i] -= a[i] * x_k;
}

/// Returns a'x over the rows from `first` to `end`.
double product_of_column(const double* a, Index first, Index end, const double* x) {
  double sum = 0.0;
  for (Index i = first; i < end; ++i) sum += a[i] * x[i];
  return sum;
}

}  // namespace

void BlockFactorization::set_pattern(std::span<const int> sizes,
                                     std::span<const std::pair<int, int>> pairs) {
  // The pattern of a scene changes rarely: order, fill-in and memory then stay.
  if (std::equal(sizes.begin(), sizes.end(), sizes_.begin(), sizes_.end()) &&
      std::equal(pairs.begin(), pairs.end(), pairs_.begin(), pairs_.end())) {
    return;
  }
  sizes_.assign(sizes.begin(), sizes.end());
  pairs_.assign(pairs.begin(), pairs.end());
  // Order of elimination, then the layout of the factor's panels, from the pattern alone.
  graph_ = NodeGraph(num_nodes(), pairs_);
  plan_ = plan_elimination(graph_, sizes_, kMaxColumns);
  layout_ = PanelLayout(plan_, sizes_);
  arrange_given();
  lower_.assign(layout_.store_size, 0.0);
  upper_.clear();
  product_.assign(layout_.product_size, 0.0);
  pivots_.assign(static_cast<std::size_t>(first_rows_.back()), 0);
  solution_.resize(first_rows_.back());
}

void BlockFactorization::arrange_given() {
  // First rows of the nodes in the caller's order.
  first_rows_.assign(1, 0);
  for (const int size : sizes_) first_rows_.push_back(first_rows_.back() + size);
  blocks_.clear();
  std::size_t num_values = 0;
  // Each given block knows its offset among the given values and its place in the factor.
  for (int column = 0; column < num_nodes(); ++column) {
    for (const int row : graph_.neighbors_of(column)) {
      const PanelLayout::Place place =
          is_stored(row, column) ? layout_.find(row, column) : layout_.find(column, row);
      blocks_.push_back({row, column, num_values, place});
      num_values += static_cast<std::size_t>(sizes_[static_cast<std::size_t>(row)] *
                                             sizes_[static_cast<std::size_t>(column)]);
    }
  }
  given_.assign(num_values, 0.0);
}

void BlockFactorization::clear() { std::fill(given_.begin(), given_.end(), 0.0); }

Map<MatrixXd> BlockFactorization::block(int i, int j) {
  // The blocks of a column node are sorted by row: a binary search finds one.
  const std::span<const int> rows = graph_.neighbors_of(j);
  const std::ptrdiff_t k = std::lower_bound(rows.begin(), rows.end(), i) - rows.begin();
  const std::size_t first = static_cast<std::size_t>(graph_.starts[static_cast<std::size_t>(j)]);
  return {given_.data() + blocks_[first + static_cast<std::size_t>(k)].values,
          sizes_[static_cast<std::size_t>(i)], sizes_[static_cast<std::size_t>(j)]};
}

void BlockFactorization::fill_panels() {
  if (kind_ != Kind::PositiveDefinite) upper_.resize(lower_.size());
  for (std::size_t first = 0; first < lower_.size(); first += kFilled) {
    check_stop();
    const std::size_t length = std::min(kFilled, lower_.size() - first);
    std::fill_n(lower_.data() + first, length, 0.0);
    if (!is_symmetric()) std::fill_n(upper_.data() + first, length, 0.0);
  }
  // L takes the blocks below the diagonal; U, kept transposed, those above it.
  for (const Given& block : blocks_) {
    const bool above = !is_stored(block.row, block.column);
    if (is_symmetric() && above) continue;
    const Index rows = sizes_[static_cast<std::size_t>(block.row)];
    const Index columns = sizes_[static_cast<std::size_t>(block.column)];
    const double* from = given_.data() + block.values;
    double* to = (above ? upper_ : lower_).data() + block.place.offset;
    // Blocks have few entries. The copy is written out, because calls would take most of the time.
    const Index along = above ? block.place.stride : 1, across = above ? 1 : block.place.stride;
    for (Index c = 0; c < columns; ++c) {
      for (Index r = 0; r < rows; ++r) to[c * across + r * along] = *from++;
    }
  }
}

bool BlockFactorization::factor(bool symmetric) {
  return factor(symmetric ? Kind::PositiveDefinite : Kind::General);
}

bool BlockFactorization::factor_quasidefinite() { return factor(Kind::Quasidefinite); }

bool BlockFactorization::factor(Kind kind) {
  kind_ = kind;
  fill_panels();
  if (kind == Kind::Quasidefinite) signs_.resize(static_cast<std::size_t>(first_rows_.back()));
  // Right-looking elimination: a panel is factored, then its ancestors lose its contribution.
  for (const Panel& panel : layout_.panels) {
    double* lower = lower_.data() + panel.offset;
    bool regular = false;
    switch (kind) {
      case Kind::PositiveDefinite:
        regular = elimination_.factor_symmetric(lower, panel.columns, panel.rows, panel.stride);
        break;
      case Kind::Quasidefinite:
        regular = elimination_.factor_quasidefinite(lower, upper_.data() + panel.offset,
                                                    signs_.data() + panel.start, panel.columns,
                                                    panel.rows, panel.stride);
        break;
      case Kind::General:
        regular = elimination_.factor(lower, upper_.data() + panel.offset, layout_.sizes_of(panel),
                                      panel.rows, panel.stride, pivots_.data() + panel.start);
        break;
    }
    if (!regular) return false;
    update_ancestors(panel);
  }
  return true;
}

/// Subtracts the Schur complement of a supernode: A(i, k) -= A(i, supernode) D^-1 A(supernode, k).
void BlockFactorization::update_ancestors(const Panel& panel) {
  const double* lower = lower_.data() + panel.offset + panel.columns;
  const double* upper =
      (kind_ == Kind::PositiveDefinite ? lower_ : upper_).data() + panel.offset + panel.columns;
  for (std::size_t k = panel.first_update; k < panel.end_update; ++k) {
    // One factorization of a large heap takes seconds.
    check_stop();
    const Update& update = layout_.updates[k];
    subtract_product(panel, update, lower, upper, lower_);
    if (!is_symmetric()) subtract_product(panel, update, upper, lower, upper_);
  }
}

/// Subtracts A B' at the entries of the ancestor with these rows and columns.
void BlockFactorization::subtract_product(const Panel& panel, const Update& update, const double* A,
                                          const double* B, std::vector<double>& store) {
  const Panel& target = layout_.panels[update.ancestor];
  const Index rows = panel.rows - update.first, stride = round_up(rows, kTileRows);
  // The product is dense in the panel's own rows.
  multiply_by_transposed({A + update.first, panel.stride}, {B + update.first, panel.stride}, rows,
                         update.end - update.first, panel.columns, product_.data(), stride);
  const std::span<const PanelLayout::Run> runs = layout_.runs_of(update);
  // Scatter: runs of rows that are neighbors in both panels are subtracted together.
  for (const PanelLayout::Run& columns : runs) {
    if (columns.to >= target.columns) break;
    for (Index c = 0; c < columns.length; ++c) {
      const double* from = product_.data() + (columns.from + c) * stride;
      double* to = store.data() + target.offset + (columns.to + c) * target.stride;
      for (const PanelLayout::Run& run : runs) {
        Map<Eigen::VectorXd>(to + run.to, run.length) -=
            Map<const Eigen::VectorXd>(from + run.from, run.length);
      }
    }
  }
}

int BlockFactorization::determinant_sign() const {
  if (kind_ == Kind::PositiveDefinite) return 1;
  if (kind_ == Kind::Quasidefinite) {
    return std::count(signs_.begin(), signs_.end(), -1.0) % 2 == 0 ? 1 : -1;
  }
  // The pivots of the diagonal blocks; each exchange of rows in a block changes the sign.
  int sign = 1;
  for (const Panel& panel : layout_.panels) {
    Index first = 0;
    for (const int size : layout_.sizes_of(panel)) {
      for (Index k = first; k < first + size; ++k) {
        if (lower_[panel.offset + static_cast<std::size_t>(k * (panel.stride + 1))] < 0.0)
          sign = -sign;
        if (pivots_[static_cast<std::size_t>(panel.start + k)] != k - first) sign = -sign;
      }
      first += size;
    }
  }
  return sign;
}

void BlockFactorization::solve(Eigen::Ref<Eigen::VectorXd> x) {
  // A = P'LUP: permute, solve with L and U panel by panel, permute back.
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
  // Diagonal block: forward substitution with L, or node by node with its L U.
  if (is_symmetric()) {
    for (Index k = 0; k < panel.columns; ++k) {
      own[k] /= lower[k * panel.stride + k];
      subtract_column(lower + k * panel.stride, own[k], k + 1, panel.columns, own);
    }
  } else {
    Index first = 0;
    for (const int size : layout_.sizes_of(panel)) {
      solve_diagonal_block(lower + first * panel.stride + first, size, panel.stride,
                           pivots_.data() + panel.start + first, own + first, 1, 1);
      for (Index k = first; k < first + size; ++k) {
        subtract_column(lower + k * panel.stride, own[k], first + size, panel.columns, own);
      }
      first += size;
    }
  }
  // Rows below: x_below -= L_below x_own.
  segment_.noalias() = ConstPanel(lower + panel.columns, panel.rows, panel.columns,
                                  Eigen::OuterStride<>(panel.stride)) *
                       Map<const Eigen::VectorXd>(own, panel.columns);
  const std::span<const Index> rows = layout_.rows_of(panel);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    solution_[rows[r]] -= segment_[static_cast<Index>(r)];
  }
}

void BlockFactorization::solve_upper(const Panel& panel) {
  const double* upper = (is_symmetric() ? lower_ : upper_).data() + panel.offset;
  Map<Eigen::VectorXd> own(solution_.data() + panel.start, panel.columns);
  if (kind_ == Kind::Quasidefinite) {
    own.array() *= Map<const Eigen::ArrayXd>(signs_.data() + panel.start, panel.columns);
  }
  // Gather the rows below, which are solved already: x_own -= U_right x_below.
  const std::span<const Index> rows = layout_.rows_of(panel);
  segment_.resize(panel.rows);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    segment_[static_cast<Index>(r)] = solution_[rows[r]];
  }
  own.noalias() -= ConstPanel(upper + panel.columns, panel.rows, panel.columns,
                              Eigen::OuterStride<>(panel.stride))
                       .transpose() *
                   segment_;
  // Diagonal block: back substitution with L', or with the unit rows D^-1 A of U.
  if (is_symmetric()) {
    for (Index k = panel.columns; k-- > 0;) {
      own[k] -= product_of_column(upper + k * panel.stride, k + 1, panel.columns, own.data());
      own[k] /= upper[k * panel.stride + k];
    }
    return;
  }
  const std::span<const int> sizes = layout_.sizes_of(panel);
  Index end = panel.columns;  // end of a node's columns
  for (std::size_t node = sizes.size(); node-- > 0;) {
    const Index first = end - sizes[node];
    for (Index k = first; k < end; ++k) {
      own[k] -= product_of_column(upper + k * panel.stride, end, panel.columns, own.data());
    }
    end = first;
  }
}

}  // namespace amontons
