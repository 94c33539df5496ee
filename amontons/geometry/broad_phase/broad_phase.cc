#include "amontons/geometry/broad_phase/broad_phase.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string>

namespace amontons {
namespace {

using Pairs = std::vector<std::pair<int, int>>;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Classes of size are powers of two, from 2^-kMaxExponent to 2^kMaxExponent [m].
constexpr int kMaxExponent = 64;
constexpr int kNumExponents = 2 * kMaxExponent + 1;
// Class of boxes that are infinite or larger than all powers.
constexpr int kUnbounded = kNumExponents;

// Up to this many boxes of one class are compared with all others, which is cheaper than a grid.
constexpr std::size_t kMinGridBoxes = 8;
// Up to this many boxes in all, each is compared with each.
constexpr std::size_t kMaxComparedBoxes = 64;

// Up to this many boxes that have changed are compared with all others, which is cheaper than to
// find all pairs anew.
constexpr std::size_t kMaxChangedBoxes = 32;
// Below this number of boxes a search of all is cheap, so that none are kept.
constexpr std::size_t kMinKeptBoxes = 200;

/// Returns the number of the largest power of two [m] not above the longest side, from 0 on.
int exponent_of(const Aabb& box) {
  const double size = (box.upper - box.lower).maxCoeff();
  if (!std::isfinite(size) || !box.lower.allFinite()) return kUnbounded;
  const int exponent = std::ilogb(std::max(size, 0x1p-64));
  return exponent > kMaxExponent ? kUnbounded : exponent + kMaxExponent;
}

/// Sorts pairs by one of their two indices, with a stable counting sort.
template <typename Key, typename Range>
void sort_by(int num_boxes, const Key& key, const Range& from, Pairs& to,
             std::vector<std::size_t>& starts) {
  starts.assign(at(num_boxes) + 1, 0);
  for (const std::pair<int, int>& pair : from) ++starts[at(key(pair)) + 1];
  for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
  to.resize(from.size());
  for (const std::pair<int, int>& pair : from) to[starts[at(key(pair))]++] = pair;
}

}  // namespace

const Pairs& BroadPhase::find_pairs(const std::vector<Aabb>& boxes,
                                    const std::vector<char>& is_static) {
  if (is_static.size() != boxes.size()) {
    throw std::invalid_argument("BroadPhase: " + std::to_string(boxes.size()) + " boxes but " +
                                std::to_string(is_static.size()) + " flags");
  }
  if (boxes.size() <= kMaxComparedBoxes) {
    compare_all(boxes, is_static);
  } else if (find_changed(boxes, is_static)) {
    update_pairs(boxes, is_static);
  } else {
    search(boxes, is_static);
  }
  return pairs_;
}

void BroadPhase::compare_all(const std::vector<Aabb>& boxes, const std::vector<char>& is_static) {
  // Boxes of a later call are not compared with those of this one.
  last_boxes_.clear();
  pairs_.clear();
  const int n = static_cast<int>(boxes.size());
  for (int i = 0; i < n; ++i) {
    const Aabb& own = boxes[at(i)];
    for (int j = i + 1; j < n; ++j) {
      if (own.overlaps(boxes[at(j)]) && !(is_static[at(i)] && is_static[at(j)])) {
        pairs_.emplace_back(i, j);
      }
    }
  }
}

bool BroadPhase::find_changed(const std::vector<Aabb>& boxes, const std::vector<char>& is_static) {
  changed_.clear();
  if (boxes.size() < kMinKeptBoxes || boxes.size() != last_boxes_.size()) return false;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    // A box that is no number differs from itself, and overlaps nothing.
    const bool is_same = boxes[i].lower == last_boxes_[i].lower &&
                         boxes[i].upper == last_boxes_[i].upper &&
                         is_static[i] == last_is_static_[i];
    if (is_same) continue;
    if (changed_.size() == kMaxChangedBoxes) return false;
    changed_.push_back(static_cast<int>(i));
  }
  return true;
}

void BroadPhase::update_pairs(const std::vector<Aabb>& boxes, const std::vector<char>& is_static) {
  if (changed_.empty()) return;
  is_changed_.assign(boxes.size(), 0);
  replaced_.clear();
  for (const int i : changed_) {
    last_boxes_[at(i)] = boxes[at(i)];
    last_is_static_[at(i)] = is_static[at(i)];
    // A changed box meets all but the changed ones before it, which have met it.
    is_changed_[at(i)] = 1;
    for (int j = 0; j < static_cast<int>(boxes.size()); ++j) {
      if (!boxes[at(i)].overlaps(boxes[at(j)])) continue;
      const bool is_done = j <= i && is_changed_[at(j)] != 0;
      if (is_done || (is_static[at(i)] && is_static[at(j)])) continue;
      replaced_.push_back(std::minmax(i, j));
    }
  }
  std::sort(replaced_.begin(), replaced_.end());
  // Pairs of other boxes stay; both lists are sorted.
  std::erase_if(pairs_, [&](const std::pair<int, int>& pair) {
    return is_changed_[at(pair.first)] != 0 || is_changed_[at(pair.second)] != 0;
  });
  by_second_.resize(pairs_.size() + replaced_.size());
  std::merge(pairs_.begin(), pairs_.end(), replaced_.begin(), replaced_.end(), by_second_.begin());
  std::swap(pairs_, by_second_);
}

void BroadPhase::search(const std::vector<Aabb>& boxes, const std::vector<char>& is_static) {
  if (boxes.size() >= kMinKeptBoxes) {
    last_boxes_ = boxes;
    last_is_static_ = is_static;
  } else {
    last_boxes_.clear();
  }
  sort_by_size(boxes);
  found_.clear();
  for (std::size_t c = 0; c + 1 < class_starts_.size(); ++c) {
    // Each class meets itself and all smaller ones, so that every pair is found in one class.
    const std::span<const int> smaller(by_size_.data(), class_starts_[c]);
    const std::span<const int> members(by_size_.data() + class_starts_[c],
                                       class_starts_[c + 1] - class_starts_[c]);
    grid_.find_pairs(boxes, is_static, members, smaller, found_);
  }
  pair_loners(boxes, is_static);

  // Sorts by the second index, then stably by the first: lexicographic order in linear time.
  const int num_boxes = static_cast<int>(boxes.size());
  const auto second = [](const std::pair<int, int>& pair) { return pair.second; };
  const auto first = [](const std::pair<int, int>& pair) { return pair.first; };
  sort_by(num_boxes, second, found_, by_second_, sort_starts_);
  sort_by(num_boxes, first, by_second_, pairs_, sort_starts_);
}

/// Groups the boxes in classes of two powers of two each, smallest first, from the smallest box up.
void BroadPhase::sort_by_size(const std::vector<Aabb>& boxes) {
  // Histogram of the exponents.
  std::array<std::size_t, kNumExponents + 1> count{};
  exponents_.clear();
  for (const Aabb& box : boxes) {
    exponents_.push_back(exponent_of(box));
    ++count[at(exponents_.back())];
  }
  // Each class joins two successive powers of two; a class of few boxes gets no grid.
  constexpr int kNoGrid = -1;
  std::array<int, kNumExponents + 1> class_of{};
  class_of.fill(kNoGrid);
  class_starts_.assign(1, 0);
  for (int e = 0; e < kNumExponents; ++e) {
    if (count[at(e)] == 0) continue;
    const std::size_t size = count[at(e)] + (e + 1 < kNumExponents ? count[at(e + 1)] : 0);
    if (size > kMinGridBoxes) {
      class_of[at(e)] = class_of[at(e + 1)] = static_cast<int>(class_starts_.size()) - 1;
      class_starts_.push_back(class_starts_.back() + size);
    }
    ++e;
  }
  class_of[at(kUnbounded)] = kNoGrid;

  // Counting sort of the boxes by class; those without a class are compared with all boxes.
  by_size_.resize(class_starts_.back());
  ungridded_.clear();
  std::array<std::size_t, kNumExponents + 1> next{};
  std::copy(class_starts_.begin(), class_starts_.end(), next.begin());
  for (int i = 0; i < static_cast<int>(boxes.size()); ++i) {
    const int size_class = class_of[at(exponents_[at(i)])];
    if (size_class == kNoGrid) {
      ungridded_.push_back(i);
    } else {
      by_size_[next[at(size_class)]++] = i;
    }
  }
}

// Unbounded boxes and those of rare sizes meet every box.
void BroadPhase::pair_loners(const std::vector<Aabb>& boxes, const std::vector<char>& is_static) {
  is_loner_.assign(boxes.size(), 0);
  for (int i : ungridded_) {
    is_loner_[at(i)] = 1;
    for (int j = 0; j < static_cast<int>(boxes.size()); ++j) {
      const bool done = is_loner_[at(j)] != 0;
      if (done || (is_static[at(i)] && is_static[at(j)])) continue;
      if (boxes[at(i)].overlaps(boxes[at(j)])) found_.push_back(std::minmax(i, j));
    }
  }
}

}  // namespace amontons
