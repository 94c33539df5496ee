#include "amontons/optimization/sparse/panel_layout.h"

#include "amontons/optimization/sparse/panel_product.h"

#include <algorithm>

namespace amontons {

using Eigen::Index;

PanelLayout::PanelLayout(const EliminationPlan& plan, std::span<const int> node_sizes)
    : starts(node_sizes.size()) {
  Index next = 0;
  // Rows of the nodes in the order of elimination.
  for (const int node : plan.order) {
    starts[static_cast<std::size_t>(node)] = next;
    sizes.push_back(node_sizes[static_cast<std::size_t>(node)]);
    next += sizes.back();
  }
  panel_of_.resize(static_cast<std::size_t>(next));
  // Panels first: updates refer to the panels of ancestors.
  for (const EliminationPlan::Supernode& supernode : plan.supernodes) add_panel(plan, supernode);
  for (Panel& panel : panels) add_updates(panel);
  // The product of panels reads whole tiles, also behind the last panel.
  store_size += static_cast<std::size_t>(kTileRows);
}

void PanelLayout::add_panel(const EliminationPlan& plan,
                            const EliminationPlan::Supernode& supernode) {
  const auto start = [&](int position) {
    return starts[static_cast<std::size_t>(plan.order[static_cast<std::size_t>(position)])];
  };
  Panel panel;
  panel.start = start(supernode.first);
  panel.first_node = static_cast<std::size_t>(supernode.first);
  panel.num_nodes = static_cast<std::size_t>(supernode.end - supernode.first);
  panel.first_row = rows.size();
  for (const int size : sizes_of(panel)) panel.columns += size;
  // Rows below the diagonal block, entry by entry.
  for (const int position : supernode.rows) {
    const Index first = start(position);
    for (int r = 0; r < sizes[static_cast<std::size_t>(position)]; ++r) rows.push_back(first + r);
  }
  panel.rows = static_cast<Index>(rows.size() - panel.first_row);
  // Strides are whole cache lines of eight doubles.
  panel.stride = round_up(panel.columns + panel.rows, 8);
  panel.offset = store_size;
  store_size += static_cast<std::size_t>(panel.stride * panel.columns);
  // The diagonal block once, the rows below for L and for U.
  num_entries += static_cast<std::size_t>((panel.columns + 2 * panel.rows) * panel.columns);
  std::fill_n(panel_of_.begin() + panel.start, panel.columns, panels.size());
  panels.push_back(panel);
}

void PanelLayout::add_updates(Panel& panel) {
  panel.first_update = updates.size();
  const Index* own = rows.data() + panel.first_row;
  // One update per ancestor: the rows of this panel that are columns of the ancestor's.
  for (Index first = 0; first < panel.rows;) {
    Update update;
    update.ancestor = panel_of_[static_cast<std::size_t>(own[first])];
    const Panel& target = panels[update.ancestor];
    update.first = update.end = first;
    while (update.end < panel.rows && own[update.end] < target.start + target.columns) {
      ++update.end;
    }
    // The ancestor has all these rows: they become its by fill-in.
    const Index* theirs = rows.data() + target.first_row;
    auto place = [&, at = Index{0}](Index row) mutable {
      if (row < target.start + target.columns) return row - target.start;
      while (theirs[at] != row) ++at;
      return target.columns + at;
    };
    // Rows with neighboring places in the ancestor form runs, which are subtracted together.
    update.first_run = runs.size();
    for (Index k = first; k < panel.rows; ++k) {
      const Index to = place(own[k]);
      // Runs end with the ancestor's diagonal block.
      const bool goes_on =
          k > first && k != update.end && runs.back().to + runs.back().length == to;
      if (goes_on) {
        ++runs.back().length;
      } else {
        runs.push_back({k - first, to, 1});
      }
    }
    // The largest product decides the size of the common store, in whole tiles.
    update.end_run = runs.size();
    product_size = std::max(product_size,
                            static_cast<std::size_t>(round_up(panel.rows - first, kTileRows) *
                                                     round_up(update.end - first, kTileColumns)));
    updates.push_back(update);
    first = update.end;
  }
  panel.end_update = updates.size();
}

PanelLayout::Place PanelLayout::find(int row, int column) const {
  const Index r = starts[static_cast<std::size_t>(row)];
  const Index c = starts[static_cast<std::size_t>(column)];
  const Panel& panel = panel_of(column);
  // A row of the diagonal block lies at its distance; one below is found among the panel's rows.
  Index place = r - panel.start;
  if (place >= panel.columns) {
    const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(panel.first_row);
    place = panel.columns + (std::lower_bound(begin, begin + panel.rows, r) - begin);
  }
  return {panel.offset + static_cast<std::size_t>((c - panel.start) * panel.stride + place),
          panel.stride};
}

}  // namespace amontons
