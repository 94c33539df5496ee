#include "amontons/geometry/shapes/feature_list.h"

#include "amontons/math/stop.h"

#include <bit>

namespace amontons {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

FeatureList::FeatureList(const std::vector<FeatureBounds>& features) {
  groups_.reserve(features.size() / 2 + 1);
  const auto add_groups = [this](int count, const auto& bounds_of) {
    levels_.push_back(static_cast<int>(groups_.size()));
    for (int k = 0; k < count; ++k) {
      if (k % kFeaturesOfGroup == 0) groups_.emplace_back();
      groups_.back().add(bounds_of(k));
    }
  };
  add_groups(static_cast<int>(features.size()), [&](int k) { return features[at(k)]; });
  // The last level has one group.
  while (static_cast<int>(groups_.size()) - levels_.back() > 1) {
    const int first = levels_.back();
    add_groups(static_cast<int>(groups_.size()) - first,
               [&](int k) { return groups_[at(first + k)].bounds(); });
  }
  levels_.push_back(static_cast<int>(groups_.size()));
}

void FeatureList::find(const FeatureBounds& other, const RoundedReach& reach,
                       const FeatureVelocities* velocities, std::vector<int>& features) const {
  check_stop();
  features.clear();
  if (groups_.empty()) return;
  const auto search = [&](const auto& self, std::size_t level, int number) -> void {
    unsigned bits = groups_[at(levels_[level] + number)].may_touch(other, reach, velocities);
    for (; bits != 0; bits &= bits - 1) {
      const int member = kFeaturesOfGroup * number + std::countr_zero(bits);
      if (level == 0) {
        features.push_back(member);
      } else {
        self(self, level - 1, member);
      }
    }
  };
  search(search, levels_.size() - 2, 0);
}

}  // namespace amontons
