#pragma once

#include "amontons/optimization/sparse/elimination_plan.h"

#include <Eigen/Core>

#include <cstddef>
#include <span>
#include <vector>

namespace amontons {

/// Places the factors of a block-sparse matrix in memory. The columns of L of each supernode are
/// one dense panel [columns + rows x columns]. Its own rows are on top; below are only the rows
/// that are not zero. Its rows of U transposed have the same form.
struct PanelLayout {
  /// Gives rows of a supernode's panel that are neighbors in the panel of an ancestor, too.
  struct Run {
    Eigen::Index from = 0, to = 0, length = 0;
  };
  /// Gives the part of an ancestor that the elimination of a supernode changes: the entries of its
  /// rows from `first` on (below its own diagonal block) in the columns of its rows from `first` to
  /// `end`.
  struct Update {
    std::size_t ancestor = 0;
    Eigen::Index first = 0, end = 0;
    std::size_t first_run = 0, end_run = 0;
  };
  /// Places one supernode's panel in the store.
  struct Panel {
    Eigen::Index start = 0;  // first row in the order of elimination
    Eigen::Index columns = 0, rows = 0;
    Eigen::Index stride = 0;
    std::size_t offset = 0;     // first entry in the store of all panels
    std::size_t first_row = 0;  // index into `rows`
    std::size_t first_node = 0, num_nodes = 0;
    std::size_t first_update = 0, end_update = 0;
  };
  /// Gives an entry's place in a panel; U(i, j) has the place of L(j, i).
  struct Place {
    std::size_t offset = 0;
    Eigen::Index stride = 0;
  };

  PanelLayout() = default;
  /// @param node_sizes  rows of each node's block.
  PanelLayout(const EliminationPlan& plan, std::span<const int> node_sizes);

  /// Returns the place of the first entry of block (row, column) of nodes, row not before column.
  Place find(int row, int column) const;

  std::span<const Eigen::Index> rows_of(const Panel& panel) const {
    return std::span(rows).subspan(panel.first_row, static_cast<std::size_t>(panel.rows));
  }
  std::span<const int> sizes_of(const Panel& panel) const {
    return std::span(sizes).subspan(panel.first_node, panel.num_nodes);
  }
  std::span<const Run> runs_of(const Update& update) const {
    return std::span(runs).subspan(update.first_run, update.end_run - update.first_run);
  }

  std::vector<Panel> panels;
  std::vector<Eigen::Index> rows;  // below each panel's diagonal block, in the order of elimination
  std::vector<int> sizes;          // rows of each node, in the order of elimination
  std::vector<Update> updates;
  std::vector<Run> runs;
  std::vector<Eigen::Index> starts;  // node -> its first row in the order of elimination
  std::size_t store_size = 0;        // entries of all panels, whole tiles at the end included
  std::size_t product_size = 0;      // entries of the largest product of panels
  std::size_t num_entries = 0;       // entries in the blocks of L and U that are not zero

 private:
  void add_panel(const EliminationPlan& plan, const EliminationPlan::Supernode& supernode);
  void add_updates(Panel& panel);
  const Panel& panel_of(int node) const {
    return panels[panel_of_[static_cast<std::size_t>(starts[static_cast<std::size_t>(node)])]];
  }

  std::vector<std::size_t> panel_of_;  // row in the order of elimination -> panel
};

}  // namespace amontons
