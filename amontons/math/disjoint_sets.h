#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace amontons {

/// Partitions {0, ..., n - 1}. The root of a set is its least element, so that sets have one order.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t n = 0) { reset(n); }  ///< n elements, each by itself
  /// Parts n elements; memory is kept.
  void reset(std::size_t n) {
    parent_.resize(n);
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  /// Returns the root of the set of i, and shortens the path to it.
  int root(int i) {
    // Bound: the depth of the tree; parents have smaller numbers.
    while (true) {
      const int above = parent(i), next = parent(above);
      if (next == above) return above;
      i = parent(i) = next;
    }
  }
  /// Unites the sets of a and b.
  void join(int a, int b) {
    a = root(a);
    b = root(b);
    if (a != b) parent(std::max(a, b)) = std::min(a, b);
  }

 private:
  int& parent(int i) { return parent_[static_cast<std::size_t>(i)]; }
  std::vector<int> parent_;
};

}  // namespace amontons
