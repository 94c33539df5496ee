#include "amontons/io/sdf/sdf_tree.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace amontons::io {
namespace {

/// Holds which links are connected so far (disjoint sets); the world is the last one.
class Components {
 public:
  explicit Components(std::size_t size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  /// Connects two links; returns false if they were connected already.
  bool join(std::size_t a, std::size_t b) {
    a = top(a);
    b = top(b);
    parent_[a] = b;
    return a != b;
  }

 private:
  /// Returns the representative of a set.
  std::size_t top(std::size_t i) const {
    while (parent_[i] != i) i = parent_[i];
    return i;
  }
  std::vector<std::size_t> parent_;
};

}  // namespace

SdfTree build_sdf_tree(const SdfModel& model) {
  const std::size_t n = model.links.size();
  SdfTree tree;
  std::vector<int> parent_joint(n, -1);  // for each link its joint, -1: none
  // Each joint either carries its child, or closes a loop.
  Components components(n + 1);
  for (std::size_t j = 0; j < model.joints.size() && !model.is_static; ++j) {
    const SdfJoint& joint = model.joints[j];
    if (joint.type == "gearbox") continue;
    const auto child = static_cast<std::size_t>(joint.child);
    const std::size_t parent = joint.parent < 0 ? n : static_cast<std::size_t>(joint.parent);
    if (parent_joint[child] < 0 && components.join(child, parent)) {
      parent_joint[child] = static_cast<int>(j);
    } else {
      tree.loops.push_back(static_cast<int>(j));
    }
  }

  // Children of each link, and of the world: links joined to it, and links without a joint.
  std::vector<std::vector<std::size_t>> children(n + 1);
  std::size_t num_free = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const int parent =
        parent_joint[i] < 0 ? -1 : model.joints[static_cast<std::size_t>(parent_joint[i])].parent;
    if (parent_joint[i] < 0) ++num_free;
    children[parent < 0 ? n : static_cast<std::size_t>(parent)].push_back(i);
  }
  // A single free link is the root; several are carried by the world.
  const bool one_root = !model.is_static && num_free == 1 && children[n].size() == 1;

  // Depth first; the last child is pushed first, so that the first one is visited first.
  std::vector<std::pair<std::size_t, int>> stack{{one_root ? children[n][0] : n, -1}};
  while (!stack.empty()) {
    const auto [link, parent] = stack.back();
    stack.pop_back();
    const int place = static_cast<int>(tree.places.size());
    tree.places.push_back({link == n ? -1 : static_cast<int>(link), parent,
                           link == n || parent < 0 ? -1 : parent_joint[link]});
    for (auto it = children[link].rbegin(); it != children[link].rend(); ++it) {
      stack.emplace_back(*it, place);
    }
  }
  return tree;
}

}  // namespace amontons::io
