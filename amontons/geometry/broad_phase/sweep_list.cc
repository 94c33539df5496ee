#include "amontons/geometry/broad_phase/sweep_list.h"

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

namespace amontons {
namespace {

// Vector types of the compiler (gcc and clang); comparisons give 0 or -1 in each lane.
using TwoDoubles [[gnu::vector_size(16)]] = double;
using TwoInt64 [[gnu::vector_size(16)]] = std::int64_t;
using FourInts [[gnu::vector_size(16)]] = int;

/// Returns a vector of successive values; the address need not be aligned.
template <typename Vector, typename Scalar>
Vector load(const Scalar* values) {
  Vector result;
  std::memcpy(&result, values, sizeof(result));
  return result;
}

}  // namespace

void PairBuffer::grow(std::size_t num_candidates) {
  if (size_ > kMostPairs) {
    throw std::domain_error("more than " + std::to_string(kMostPairs) +
                            " pairs of shapes are near each other: many bodies overlap, or travel "
                            "far within a step");
  }
  pairs_.resize(2 * (size_ + num_candidates));
}

void SweepList::clear() {
  for (std::vector<double>& values : lower_) values.clear();
  for (std::vector<double>& values : upper_) values.clear();
  tag_.clear();
}

void SweepList::push_back(const Aabb& box, int index, bool is_static) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    lower_[axis].push_back(box.lower[static_cast<Eigen::Index>(axis)]);
    upper_[axis].push_back(box.upper[static_cast<Eigen::Index>(axis)]);
  }
  tag_.push_back(2 * index + (is_static ? 1 : 0));
}

void SweepList::pad() {
  // Padded boxes are static with the smallest index, and the test of the run's end excludes them.
  const Aabb nowhere{Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
  for (std::size_t lane = 0; lane < kLanes; ++lane) push_back(nowhere, 0, true);
  next_moving_.resize(tag_.size());
  std::size_t next = tag_.size();
  for (std::size_t k = tag_.size(); k-- > 0;) {
    if (!is_static_tag(tag_[k])) next = k;
    next_moving_[k] = next;
  }
}

SweepList::Query SweepList::query(std::size_t i) const {
  return {{lower_[0][i], lower_[1][i], lower_[2][i]},
          {upper_[0][i], upper_[1][i], upper_[2][i]},
          tag_[i]};
}

/// Compares a box with the kLanes boxes from the k-th on and appends those that overlap. There are
/// no branches, because half of them would be mispredicted.
inline PairBuffer::Pair* SweepList::test_lanes(const Query& query, std::size_t k, std::size_t end,
                                               PairBuffer::Pair* out) const {
  // Overlap on all three axes: lower <= query upper and query lower <= upper, two lanes at a time.
  TwoInt64 overlap_01 = ~TwoInt64{}, overlap_23 = ~TwoInt64{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double *lower = lower_[axis].data() + k, *upper = upper_[axis].data() + k;
    const TwoDoubles query_lower = TwoDoubles{} + query.lower[axis];
    const TwoDoubles query_upper = TwoDoubles{} + query.upper[axis];
    overlap_01 &= (load<TwoDoubles>(lower) <= query_upper);
    overlap_01 &= (query_lower <= load<TwoDoubles>(upper));
    overlap_23 &= (load<TwoDoubles>(lower + 2) <= query_upper);
    overlap_23 &= (query_lower <= load<TwoDoubles>(upper + 2));
  }
  // The lowest bit of a tag marks a static box; lanes beyond the end of the run do not count.
  const FourInts tags = load<FourInts>(tag_.data() + k);
  const FourInts query_tag = FourInts{} + query.tag;
  const FourInts not_both_static = (tags & query_tag & 1) - 1;
  const FourInts inside = FourInts{0, 1, 2, 3} < static_cast<int>(end - k);
  const FourInts kept =
      __builtin_shufflevector(reinterpret_cast<FourInts>(overlap_01),
                              reinterpret_cast<FourInts>(overlap_23), 0, 2, 4, 6) &
      not_both_static & inside;
  // Each pair is (smaller index, larger index), chosen by masks.
  const FourInts smaller = tags < query_tag;
  const FourInts first = ((tags & smaller) | (query_tag & ~smaller)) >> 1;
  const FourInts second = ((tags & ~smaller) | (query_tag & smaller)) >> 1;
  // Every candidate is written; the end advances only past those to keep.
  for (int lane = 0; lane < 4; ++lane) {
    *out = {first[lane], second[lane]};
    out -= kept[lane];  // -1 if kept
  }
  return out;
}

inline void SweepList::find_overlaps(const Query& query, Run run, PairBuffer& pairs) const {
  PairBuffer::Pair* out = pairs.make_room(run.end - run.begin + kLanes);
  // Boxes are sorted along x: the sweep ends at the first that begins behind the query's end. A
  // static box passes over other static ones, which may be many in one place.
  const auto meets = [&](std::size_t k) { return k < run.end && lower_[0][k] <= query.upper[0]; };
  if (is_static_tag(query.tag)) {
    for (std::size_t k = next_moving_[run.begin]; meets(k); k = next_moving_[k + kLanes]) {
      out = test_lanes(query, k, run.end, out);
    }
  } else {
    for (std::size_t k = run.begin; meets(k); k += kLanes) {
      out = test_lanes(query, k, run.end, out);
    }
  }
  pairs.set_end(out);
}

void SweepList::find_pairs(Run run, PairBuffer& pairs) const {
  for (std::size_t i = run.begin; i < run.end; ++i) {
    find_overlaps(query(i), {i + 1, run.end}, pairs);
  }
}

void SweepList::find_pairs(Run run, const SweepList& other, Run other_run,
                           PairBuffer& pairs) const {
  for (std::size_t i = run.begin; i < run.end; ++i) {
    const Query box = query(i);
    // Boxes that end before this one begins are behind all that follow.
    while (other_run.begin < other_run.end && other.upper_[0][other_run.begin] < box.lower[0]) {
      ++other_run.begin;
    }
    other.find_overlaps(box, other_run, pairs);
  }
}

}  // namespace amontons
