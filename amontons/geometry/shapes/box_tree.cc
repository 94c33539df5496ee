#include "amontons/geometry/shapes/box_tree.h"

#include "amontons/math/stop.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace amontons {
namespace {

using Eigen::Vector3d;

// Items of a leaf, whose boxes are tested one by one instead of by further nodes.
constexpr int kLeafSize = 4;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Returns the squared distance of a point from a box [m^2]; zero inside.
double squared_distance(const Aabb& box, const Vector3d& p) {
  return (box.lower - p).cwiseMax(p - box.upper).cwiseMax(0.0).squaredNorm();
}

/// Returns the squared distance of two boxes [m^2]; zero where they overlap.
double squared_distance(const Aabb& a, const Aabb& b) {
  return (b.lower - a.upper).cwiseMax(a.lower - b.upper).cwiseMax(0.0).squaredNorm();
}

/// Returns true if the segment from p to p + along meets the box. It lies between the two planes
/// of an axis in an interval of its parameter; the three intervals need a common part.
bool meets_segment(const Aabb& box, const Vector3d& p, const Vector3d& along) {
  double enter = 0.0;
  double leave = 1.0;
  for (int i = 0; i < 3; ++i) {
    if (along[i] == 0.0) {
      if (p[i] < box.lower[i] || p[i] > box.upper[i]) return false;
      continue;
    }
    const double a = (box.lower[i] - p[i]) / along[i];
    const double b = (box.upper[i] - p[i]) / along[i];
    enter = std::max(enter, std::min(a, b));
    leave = std::min(leave, std::max(a, b));
  }
  return enter <= leave;
}

}  // namespace

BoxTree::BoxTree(const std::vector<Aabb>& boxes) : item_boxes_(boxes), items_(boxes.size()) {
  std::iota(items_.begin(), items_.end(), 0);
  if (!boxes.empty()) build(0, static_cast<int>(boxes.size()));
}

int BoxTree::build(int first, int count) {
  const int node = static_cast<int>(nodes_.size());
  nodes_.emplace_back();
  // The box around all items, and twice the range of their centers.
  Aabb box = item_boxes_[at(items_[at(first)])];
  Vector3d low = box.lower + box.upper, high = low;
  for (int k = first; k < first + count; ++k) {
    const Aabb& item = item_boxes_[at(items_[at(k)])];
    box.include(item);
    low = low.cwiseMin(item.lower + item.upper);
    high = high.cwiseMax(item.lower + item.upper);
  }
  nodes_[at(node)].box = box;
  if (count <= kLeafSize) {
    nodes_[at(node)].first = first;
    nodes_[at(node)].count = count;
    return node;
  }
  // The split axis is the one along which the centers spread most.
  Eigen::Index axis = 0;
  (high - low).maxCoeff(&axis);
  const auto center = [&](int item) {
    return item_boxes_[at(item)].lower[axis] + item_boxes_[at(item)].upper[axis];
  };
  const int half = count / 2;
  // Ties of the centers are broken by number, so that equal boxes always give the same tree.
  const auto begin = items_.begin() + first;
  std::nth_element(begin, begin + half, begin + count, [&](int a, int b) {
    return center(a) != center(b) ? center(a) < center(b) : a < b;
  });
  // The left child follows its parent in memory, so only the right one needs an index.
  build(first, half);
  nodes_[at(node)].right = build(first + half, count - half);
  return node;
}

void BoxTree::find(const Aabb& box, std::vector<int>& items) const {
  items.clear();
  visit_below([&](std::size_t node) { return nodes_[node].box.overlaps(box); },
              [&](int item) {
                if (item_boxes_[at(item)].overlaps(box)) items.push_back(item);
              });
  std::sort(items.begin(), items.end());
}

void BoxTree::visit_nearest(const Vector3d& point, double best,
                            const std::function<double(int)>& visit) const {
  if (empty()) return;
  struct Waiting {
    int node;
    double bound;
  };
  // Depth-first search; the nearer child is visited first, so that the best distance falls early.
  std::array<Waiting, 64> stack{};
  int depth = 0;
  stack[0] = {0, squared_distance(bounds(), point)};
  while (depth >= 0) {
    check_stop();
    const Waiting next = stack[at(depth--)];
    if (next.bound > best) continue;
    const Node& node = nodes_[at(next.node)];
    for (int k = node.first; k < node.first + node.count; ++k) {
      const int item = items_[at(k)];
      // An item is skipped only if its box alone is farther than the best.
      if (squared_distance(item_boxes_[at(item)], point) <= best) best = visit(item);
    }
    if (node.count > 0) continue;
    Waiting near{next.node + 1, squared_distance(nodes_[at(next.node + 1)].box, point)};
    Waiting far{node.right, squared_distance(nodes_[at(node.right)].box, point)};
    if (far.bound < near.bound) std::swap(near, far);
    stack[at(++depth)] = far;
    stack[at(++depth)] = near;
  }
}

/// Holds what stays the same in the recursion of search_pairs().
struct BoxTree::PairSearch {
  const BoxTree& other;
  const Pose& X_TO;
  double best;  // least squared distance so far [m^2]
  const std::function<double(int, int)>& visit;
};

void BoxTree::search_pairs(int own, int theirs, PairSearch& search) const {
  check_stop();
  const BoxTree& other = search.other;
  const Node& a = nodes_[at(own)];
  const Node& b = other.nodes_[at(theirs)];
  // Two leaves: every pair of items whose boxes may be nearer than the best.
  if (is_leaf(own) && other.is_leaf(theirs)) {
    for (int j = b.first; j < b.first + b.count; ++j) {
      const int item_b = other.items_[at(j)];
      const Aabb box_b = box_around(other.item_boxes_[at(item_b)], search.X_TO);
      for (int i = a.first; i < a.first + a.count; ++i) {
        const int item_a = items_[at(i)];
        if (squared_distance(item_boxes_[at(item_a)], box_b) > search.best) continue;
        search.best = search.visit(item_a, item_b);
      }
    }
    return;
  }
  // The larger node is split, and the nearer half searched first, so that the best falls early.
  const bool own_is_larger =
      (a.box.upper - a.box.lower).squaredNorm() > (b.box.upper - b.box.lower).squaredNorm();
  const bool split_own = other.is_leaf(theirs) || (!is_leaf(own) && own_is_larger);
  struct Branch {
    int own, theirs;
    double bound;
  };
  const auto branch = [&](int i, int j) {
    return Branch{
        i, j,
        squared_distance(nodes_[at(i)].box, box_around(other.nodes_[at(j)].box, search.X_TO))};
  };
  std::array<Branch, 2> branches =
      split_own ? std::array{branch(own + 1, theirs), branch(a.right, theirs)}
                : std::array{branch(own, theirs + 1), branch(own, b.right)};
  if (branches[1].bound < branches[0].bound) std::swap(branches[0], branches[1]);
  // The first branch may have lowered the best, so the second is tested after it.
  for (const Branch& next : branches) {
    if (next.bound <= search.best) search_pairs(next.own, next.theirs, search);
  }
}

void BoxTree::visit_nearest_pairs(const BoxTree& other, const Pose& X_TO, double best,
                                  const std::function<double(int, int)>& visit) const {
  if (empty() || other.empty()) return;
  PairSearch search{other, X_TO, best, visit};
  search_pairs(0, 0, search);
}

void BoxTree::visit_along(const Vector3d& p, const Vector3d& q, double margin,
                          const std::function<void(int)>& visit) const {
  const Vector3d along = q - p;
  const auto meets = [&](const Aabb& box) { return meets_segment(box.grown(margin), p, along); };
  visit_below([&](std::size_t node) { return meets(nodes_[node].box); },
              [&](int item) {
                if (meets(item_boxes_[at(item)])) visit(item);
              });
}

}  // namespace amontons
