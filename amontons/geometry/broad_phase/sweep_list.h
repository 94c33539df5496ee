#pragma once

#include "amontons/geometry/shapes/bounding_box.h"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace amontons {

/// Collects index pairs without branches: candidates are written first, and the end moves past
/// those to keep. Space is reserved for all candidates.
class PairBuffer {
 public:
  using Pair = std::pair<int, int>;
  /// Pairs beyond which a step has more contacts than memory and time allow: copies of a body in
  /// one place have half of the square of their number.
  static constexpr std::size_t kMostPairs = 2'000'000;

  void clear() { size_ = 0; }
  /// Returns the place of the next pair; at least `num_candidates` pairs fit behind it.
  /// @throws std::domain_error where more than kMostPairs are kept.
  Pair* make_room(std::size_t num_candidates) {
    if (size_ + num_candidates > pairs_.size()) grow(num_candidates);
    return pairs_.data() + size_;
  }
  /// Keeps the pairs written up to `end`.
  void set_end(const Pair* end) { size_ = static_cast<std::size_t>(end - pairs_.data()); }
  void push_back(Pair pair) {
    *make_room(1) = pair;
    ++size_;
  }

  const Pair* begin() const { return pairs_.data(); }
  const Pair* end() const { return pairs_.data() + size_; }
  std::size_t size() const { return size_; }

 private:
  void grow(std::size_t num_candidates);

  std::vector<Pair> pairs_;
  std::size_t size_ = 0;
};

/// Stores boxes coordinate by coordinate, so that several are compared at once.
class SweepList {
 public:
  /// Delimits a range of boxes in order of lower x.
  struct Run {
    std::size_t begin = 0, end = 0;
  };

  void clear();
  void push_back(const Aabb& box, int index, bool is_static);
  /// Appends padding. Call it after the last box: comparisons read whole lanes beyond the end.
  void pad();

  /// Appends the overlapping pairs within a run, or between a run of this list and a run of
  /// another, as (smaller index, larger index). Pairs of two static boxes are left out.
  void find_pairs(Run run, PairBuffer& pairs) const;
  void find_pairs(Run run, const SweepList& other, Run other_run, PairBuffer& pairs) const;

 private:
  static constexpr std::size_t kLanes = 4;  // boxes per comparison
  /// Holds one box that is compared with many.
  struct Query {
    std::array<double, 3> lower, upper;
    int tag;
  };

  static bool is_static_tag(int tag) { return (tag & 1) != 0; }
  Query query(std::size_t i) const;
  PairBuffer::Pair* test_lanes(const Query& query, std::size_t k, std::size_t end,
                               PairBuffer::Pair* out) const;
  /// Appends the boxes of a run that overlap the query's.
  void find_overlaps(const Query& query, Run run, PairBuffer& pairs) const;

  std::array<std::vector<double>, 3> lower_, upper_;
  std::vector<int> tag_;                  // twice the index, plus one if static
  std::vector<std::size_t> next_moving_;  // place of the first box from each on that is not static
};

}  // namespace amontons
