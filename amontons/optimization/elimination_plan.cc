#include "amontons/optimization/elimination_plan.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace amontons {
namespace {

using Graph = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;
using Supernode = EliminationPlan::Supernode;
using Rows = std::vector<std::vector<int>>;  // of each column, ascending

Graph make_graph(int num_nodes, std::span<const std::pair<int, int>> pairs) {
  std::vector<Eigen::Triplet<double, int>> triplets;
  // Without its diagonal Eigen's minimum degree leaves a matrix in its given order.
  for (int i = 0; i < num_nodes; ++i) triplets.emplace_back(i, i, 1.0);
  for (const auto& [i, j] : pairs) {
    if (i == j) continue;
    triplets.emplace_back(i, j, 1.0);
    triplets.emplace_back(j, i, 1.0);
  }
  Graph graph(num_nodes, num_nodes);
  graph.setFromTriplets(triplets.begin(), triplets.end());
  return graph;
}

void set_order(std::vector<int> order, EliminationPlan& plan) {
  plan.position.resize(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    plan.position[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
  }
  plan.order = std::move(order);
}

/// Each column's rows below the diagonal, with the fill-in that its children in the elimination
/// tree hand on.
Rows find_rows(const Graph& graph, const EliminationPlan& plan) {
  const std::size_t n = plan.order.size();
  Rows below(n);
  for (std::size_t k = 0; k < n; ++k) {
    for (Graph::InnerIterator it(graph, plan.order[k]); it; ++it) {
      const int row = plan.position[static_cast<std::size_t>(it.row())];
      if (row > static_cast<int>(k)) below[k].push_back(row);
    }
  }
  for (std::size_t k = 0; k < n; ++k) {
    std::sort(below[k].begin(), below[k].end());
    below[k].erase(std::unique(below[k].begin(), below[k].end()), below[k].end());
    if (below[k].empty()) continue;
    std::vector<int>& parent = below[static_cast<std::size_t>(below[k].front())];
    parent.insert(parent.end(), below[k].begin() + 1, below[k].end());
  }
  return below;
}

/// The same elimination with each parent right after the last of its children, so that chains of
/// columns with the same rows are neighbors.
std::vector<int> in_postorder(const Rows& below, const std::vector<int>& order) {
  const std::size_t n = order.size();
  Rows children(n);
  std::vector<int> stack;
  for (std::size_t k = n; k-- > 0;) {
    if (below[k].empty()) {
      stack.push_back(static_cast<int>(k));
    } else {
      children[static_cast<std::size_t>(below[k].front())].push_back(static_cast<int>(k));
    }
  }
  // Backwards: a parent, then its subtrees from the last to the first.
  std::vector<int> backwards;
  std::reverse(stack.begin(), stack.end());
  while (!stack.empty()) {
    const std::size_t k = static_cast<std::size_t>(stack.back());
    stack.pop_back();
    backwards.push_back(order[k]);
    stack.insert(stack.end(), children[k].begin(), children[k].end());
  }
  std::reverse(backwards.begin(), backwards.end());
  return backwards;
}

/// Chains of columns with the same rows below.
std::vector<Supernode> find_supernodes(const EliminationPlan& plan, Rows below,
                                       std::span<const int> sizes, int most_columns) {
  std::vector<Supernode> supernodes;
  int columns = 0;  // of the last one
  for (int k = 0; k < static_cast<int>(below.size()); ++k) {
    std::vector<int>& rows = below[static_cast<std::size_t>(k)];
    const int size = sizes[static_cast<std::size_t>(plan.order[static_cast<std::size_t>(k)])];
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

EliminationPlan plan_elimination(std::span<const int> sizes,
                                 std::span<const std::pair<int, int>> pairs, int most_columns) {
  EliminationPlan plan;
  const Graph graph = make_graph(static_cast<int>(sizes.size()), pairs);
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(graph, permutation);
  const auto& indices = permutation.indices();
  set_order(std::vector<int>(indices.data(), indices.data() + indices.size()), plan);
  set_order(in_postorder(find_rows(graph, plan), plan.order), plan);
  plan.supernodes = find_supernodes(plan, find_rows(graph, plan), sizes, most_columns);
  return plan;
}

}  // namespace amontons
