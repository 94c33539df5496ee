#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace amontons {

/// Lists nodes and the neighbors of each, itself included, ascending: the blocks of a symmetric
/// pattern.
struct NodeGraph {
  NodeGraph() = default;
  /// @param pairs  of neighbors, in any order, maybe more than once.
  NodeGraph(int num_nodes, std::span<const std::pair<int, int>> pairs);

  int num_nodes() const { return static_cast<int>(starts.size()) - 1; }
  std::span<const int> neighbors_of(int node) const {
    const auto start = [this](int k) {
      return static_cast<std::size_t>(starts[static_cast<std::size_t>(k)]);
    };
    return std::span(neighbors).subspan(start(node), start(node + 1) - start(node));
  }

  std::vector<int> starts = {0};  // node -> first of its neighbors; one past the end at the end
  std::vector<int> neighbors;     // neighbors, node by node
};

/// Says in which order the nodes of a graph, blocks of a symmetric pattern, are eliminated. Nodes
/// with the same rows below them are eliminated together.
struct EliminationPlan {
  /// Groups nodes with neighboring positions, and lists the positions of all later nodes they
  /// touch.
  struct Supernode {
    int first = 0, end = 0;
    std::vector<int> rows;  // ascending, none below `end`
  };

  std::vector<int> order;     // position -> node
  std::vector<int> position;  // node -> position
  std::vector<Supernode> supernodes;
};

/// Orders the nodes by approximate minimum degree and groups them.
/// @param sizes        rows of each node's block.
/// @param most_columns upper limit of a supernode's rows, where each of its nodes has fewer.
EliminationPlan plan_elimination(const NodeGraph& graph, std::span<const int> sizes,
                                 int most_columns);

}  // namespace amontons
