#pragma once

#include <span>
#include <utility>
#include <vector>

namespace amontons {

/// In which order the nodes of a graph, blocks of a symmetric pattern, are eliminated, and which
/// neighbors have the same rows below and are eliminated together.
struct EliminationPlan {
  /// Nodes with neighboring positions, and the positions of all later nodes that they touch.
  struct Supernode {
    int first = 0, end = 0;
    std::vector<int> rows;  // ascending, none below `end`
  };

  std::vector<int> order;     // position -> node
  std::vector<int> position;  // node -> position
  std::vector<Supernode> supernodes;
};

/// Approximate minimum degree, children before their parents in the elimination tree.
/// @param sizes        rows of each node's block.
/// @param pairs        the nodes of each off-diagonal block, in any order.
/// @param most_columns rows of all nodes that are eliminated together, where each has fewer.
EliminationPlan plan_elimination(std::span<const int> sizes,
                                 std::span<const std::pair<int, int>> pairs, int most_columns);

}  // namespace amontons
