#pragma once

#include "amontons/geometry/shapes/feature_bounds.h"

#include <vector>

namespace amontons {

/// Holds features of a small part of a surface in the order in which they are given, in groups of
/// four, and groups of four groups. It is built in a few operations per feature, for surfaces that
/// are searched a few times; FeatureTree serves those that are searched often.
class FeatureList {
 public:
  explicit FeatureList(const std::vector<FeatureBounds>& features);

  /// Returns false if none may touch a feature of another surface, in the same frame, at any speed.
  /// @param other  it faces them: with the opposites of its normals.
  bool may_touch(const FeatureBounds& other, const RoundedReach& reach) const {
    return !groups_.empty() && groups_.back().may_touch(other, reach, nullptr) != 0;
  }
  /// Finds the features that may touch such a one; replaces `features`, in increasing order.
  /// @param velocities  of the other surface there: if given, gaps that they do not close do not
  /// count.
  /// @throws Stopped where the thread is asked to stop (math/stop.h).
  void find(const FeatureBounds& other, const RoundedReach& reach,
            const FeatureVelocities* velocities, std::vector<int>& features) const;

 private:
  std::vector<FeatureGroup> groups_;  // by levels; those of features come first
  std::vector<int> levels_;           // first group of each level; at the end their number
};

}  // namespace amontons
