#include "amontons/optimization/sparse/elimination_plan.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

#include <algorithm>
#include <numeric>
#include <utility>

namespace amontons {
namespace {

using Supernode = EliminationPlan::Supernode;
using Rows = std::vector<std::vector<int>>;  // by column, ascending

/// Returns the nodes in the order of approximate minimum degree, which keeps the fill-in low.
std::vector<int> minimum_degree(const NodeGraph& graph) {
  // The ordering reads the pattern alone; the values are placeholders.
  Eigen::SparseMatrix<double, Eigen::ColMajor, int> pattern(graph.num_nodes(), graph.num_nodes());
  pattern.resizeNonZeros(static_cast<Eigen::Index>(graph.neighbors.size()));
  std::copy(graph.starts.begin(), graph.starts.end(), pattern.outerIndexPtr());
  std::copy(graph.neighbors.begin(), graph.neighbors.end(), pattern.innerIndexPtr());
  std::fill_n(pattern.valuePtr(), graph.neighbors.size(), 1.0);
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(pattern, permutation);
  const auto& indices = permutation.indices();
  return {indices.data(), indices.data() + indices.size()};
}

/// Stores an order and its inverse.
void set_order(std::vector<int> order, EliminationPlan& plan) {
  plan.position.resize(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    plan.position[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
  }
  plan.order = std::move(order);
}

/// Returns each column's rows below the diagonal, with the fill-in that its children in the
/// elimination tree add.
Rows find_rows(const NodeGraph& graph, const EliminationPlan& plan) {
  const std::size_t n = plan.order.size();
  Rows below(n);
  // The rows of the matrix itself.
  for (std::size_t k = 0; k < n; ++k) {
    for (const int neighbor : graph.neighbors_of(plan.order[k])) {
      const int row = plan.position[static_cast<std::size_t>(neighbor)];
      if (row > static_cast<int>(k)) below[k].push_back(row);
    }
  }
  // Symbolic elimination: a column's rows, less its parent, join those of the parent.
  for (std::size_t k = 0; k < n; ++k) {
    std::sort(below[k].begin(), below[k].end());
    below[k].erase(std::unique(below[k].begin(), below[k].end()), below[k].end());
    if (below[k].empty()) continue;
    std::vector<int>& parent = below[static_cast<std::size_t>(below[k].front())];
    parent.insert(parent.end(), below[k].begin() + 1, below[k].end());
  }
  return below;
}

/// Returns the chains of columns with the same rows below.
std::vector<Supernode> find_supernodes(const EliminationPlan& plan, Rows below,
                                       std::span<const int> sizes, int most_columns) {
  std::vector<Supernode> supernodes;
  int columns = 0;  // columns of the last supernode
  for (int k = 0; k < static_cast<int>(below.size()); ++k) {
    std::vector<int>& rows = below[static_cast<std::size_t>(k)];
    const int size = sizes[static_cast<std::size_t>(plan.order[static_cast<std::size_t>(k)])];
    // A column joins the chain if it is the parent of the one before and adds no rows.
    const bool is_parent =
        k > 0 && !supernodes.back().rows.empty() && supernodes.back().rows.front() == k;
    if (is_parent && supernodes.back().rows.size() == rows.size() + 1 &&
        columns + size <= most_columns) {
      supernodes.back().end = k + 1;
      supernodes.back().rows = std::move(rows);
      columns += size;
      continue;
    }
    supernodes.push_back({k, k + 1, std::move(rows)});
    columns = size;
  }
  return supernodes;
}

}  // namespace

NodeGraph::NodeGraph(int num_nodes, std::span<const std::pair<int, int>> pairs) {
  std::vector<int> next(static_cast<std::size_t>(num_nodes) + 1, 0);
  const auto at = [&next](int node) -> int& { return next[static_cast<std::size_t>(node)]; };
  // Count each node's neighbors: itself, and one entry per pair.
  for (int i = 0; i < num_nodes; ++i) ++at(i);
  for (const auto& [i, j] : pairs) {
    if (i == j) continue;
    ++at(i);
    ++at(j);
  }
  std::exclusive_scan(next.begin(), next.end(), next.begin(), 0);
  neighbors.resize(static_cast<std::size_t>(next.back()));
  const std::vector<int> begin = next;
  const auto add = [&](int node, int neighbor) {
    neighbors[static_cast<std::size_t>(at(node)++)] = neighbor;
  };
  // The lists are filled in place; pairs may occur more than once.
  for (int i = 0; i < num_nodes; ++i) add(i, i);
  for (const auto& [i, j] : pairs) {
    if (i == j) continue;
    add(i, j);
    add(j, i);
  }
  // Each list is sorted and freed of duplicates, and moves up to the end of the one before.
  auto kept = neighbors.begin();
  for (std::size_t i = 0; i + 1 < begin.size(); ++i) {
    const auto first = neighbors.begin() + begin[i], last = neighbors.begin() + begin[i + 1];
    std::sort(first, last);
    kept = std::copy(first, std::unique(first, last), kept);
    starts.push_back(static_cast<int>(kept - neighbors.begin()));
  }
  neighbors.erase(kept, neighbors.end());
}

EliminationPlan plan_elimination(const NodeGraph& graph, std::span<const int> sizes,
                                 int most_columns) {
  EliminationPlan plan;
  set_order(minimum_degree(graph), plan);
  plan.supernodes = find_supernodes(plan, find_rows(graph, plan), sizes, most_columns);
  return plan;
}

}  // namespace amontons
