#pragma once

#include "amontons/geometry/shapes/bounding_box.h"

#include <array>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace amontons {

/// Holds a bounding-volume hierarchy: a balanced binary tree of axis-aligned boxes over numbered
/// items. The same boxes give the same tree. Queries cost O(log n) for each item found.
class BoxTree {
 public:
  BoxTree() = default;
  /// Builds the tree. Nodes are split at the median of the boxes' centers along the widest axis. A
  /// leaf holds four items at most.
  explicit BoxTree(const std::vector<Aabb>& boxes);

  bool empty() const { return nodes_.empty(); }  ///< true without items
  /// Returns the box around all items. @pre not empty.
  const Aabb& bounds() const { return nodes_.front().box; }

  /// Holds the box around all items below a node, and where they are.
  struct Node {
    Aabb box;                  ///< around all items below
    int first = 0, count = 0;  ///< items of a leaf; of an inner node count = 0
    int right = 0;             ///< the right child; the left one follows its parent
  };
  const Node& node(std::size_t index) const { return nodes_[index]; }  ///< the root is 0
  /// Returns the k-th item in the order of the leaves.
  int item(int k) const { return items_[static_cast<std::size_t>(k)]; }

  /// Returns the box of an item.
  const Aabb& item_box(int item) const { return item_boxes_[static_cast<std::size_t>(item)]; }

  /// Finds the items whose boxes overlap a given one; replaces `items`, in increasing order.
  void find(const Aabb& box, std::vector<int>& items) const;

  /// Visits items from near to far as long as their boxes may be nearer to a point than the best so
  /// far. `visit` takes an item and returns the best squared distance known after it [m^2].
  void visit_nearest(const Eigen::Vector3d& point, double best,
                     const std::function<double(int item)>& visit) const;

  /// Does the same for pairs of items of this and another tree; X_TO is that tree's pose in the
  /// frame of this one. The order depends on the trees and poses alone.
  void visit_nearest_pairs(const BoxTree& other, const Pose& X_TO, double best,
                           const std::function<double(int own, int theirs)>& visit) const;

  /// Visits the items whose boxes, grown by `margin` [m], meet the segment from p to q.
  void visit_along(const Eigen::Vector3d& p, const Eigen::Vector3d& q, double margin,
                   const std::function<void(int item)>& visit) const;

  /// Returns one value for each node: of a leaf the sum of `of_item(item)`, of an inner node the
  /// sum of both children, each by `add(sum, value)`.
  template <typename Value, typename OfItem, typename Add>
  std::vector<Value> sum_per_node(const OfItem& of_item, const Add& add) const {
    std::vector<Value> sums(nodes_.size());
    // Children follow their parents.
    for (std::size_t n = nodes_.size(); n-- > 0;) {
      const Node& node = nodes_[n];
      for (int k = node.first; k < node.first + node.count; ++k) {
        add(sums[n], of_item(items_[static_cast<std::size_t>(k)]));
      }
      if (node.count > 0) continue;
      add(sums[n], sums[n + 1]);
      add(sums[n], sums[static_cast<std::size_t>(node.right)]);
    }
    return sums;
  }

  /// Visits the items below all nodes for which `enters(node)` is true, parents before children.
  template <typename Enters, typename Visit>
  void visit_below(const Enters& enters, const Visit& visit) const {
    if (empty()) return;
    // One sibling waits per level at most; a balanced tree of 2^31 items has 30 levels.
    std::array<int, 64> stack{};
    int depth = 0;
    while (depth >= 0) {
      const int index = stack[static_cast<std::size_t>(depth--)];
      if (!enters(static_cast<std::size_t>(index))) continue;
      const Node& node = nodes_[static_cast<std::size_t>(index)];
      for (int k = node.first; k < node.first + node.count; ++k) {
        visit(items_[static_cast<std::size_t>(k)]);
      }
      if (node.count > 0) continue;
      stack[static_cast<std::size_t>(++depth)] = node.right;
      stack[static_cast<std::size_t>(++depth)] = index + 1;
    }
  }

 private:
  /// Builds the subtree over items_[first, first + count) and returns its node.
  int build(int first, int count);
  bool is_leaf(int node) const { return nodes_[static_cast<std::size_t>(node)].count > 0; }
  struct PairSearch;
  /// Visits the pairs below two nodes, nearest boxes first.
  void search_pairs(int own, int theirs, PairSearch& search) const;

  std::vector<Aabb> item_boxes_;
  std::vector<int> items_;  // in the order of the leaves
  std::vector<Node> nodes_;
};

}  // namespace amontons
