#pragma once

#include "amontons/geometry/shapes/box_tree.h"
#include "amontons/geometry/shapes/closing_motion.h"
#include "amontons/geometry/shapes/feature_bounds.h"
#include "amontons/math/pose.h"

#include <array>
#include <functional>
#include <optional>
#include <vector>

namespace amontons {

/// Holds a hierarchy over features of a surface, each with the box around it and the box around the
/// unit normals along which it may be touched. It finds those near another surface's features with
/// opposite normals [Johnson and Cohen 2001].
class FeatureTree {
 public:
  FeatureTree() = default;
  FeatureTree(const std::vector<Aabb>& boxes, std::vector<Aabb> normals);

  const BoxTree& boxes() const { return boxes_; }

  /// Visits all pairs of features (of this tree, of the other) whose boxes overlap, and a few whose
  /// boxes are apart by rounding.
  /// @param X_TO  pose of the other surface in the frame of this one.
  void visit_overlaps(const FeatureTree& other, const Pose& X_TO,
                      const std::function<void(int own, int theirs)>& visit) const;

  /// Says of a pair of features (of this tree, of the other) whose boxes and normals allow it
  /// whether they may touch.
  using Test = std::function<bool(int own, int theirs)>;
  /// Finds the features of both surfaces that may touch one of the other surface; replaces `own`
  /// and `theirs`, in increasing order.
  /// @param X_TO  pose of the other surface in the frame of this one.
  /// @param motion  of the other surface in this frame: if given, gaps that it may not close do not
  /// count.
  void find_facing(const FeatureTree& other, const Pose& X_TO, const FeatureReach& reach,
                   const std::optional<ClosingMotion>& motion, const Test& may_touch,
                   std::vector<int>& own, std::vector<int>& theirs) const;

 private:
  class PairSearch;

  /// Holds up to four members, which are features or groups.
  struct Group : FeatureGroup {
    std::array<int, kFeaturesOfGroup> members{};  // features of a leaf, else groups
    int node = 0;                                 // of boxes_ whose box it fills
    bool is_leaf = false;
    float size = 0.0f;  // squared diagonal of its box [m^2]
  };

  /// Adds the group of a node and those below, and returns its number.
  int add_group(int node);
  /// Returns the box of a member of a group.
  const Aabb& box_of(const Group& group, int member) const;
  /// Returns the box around the normals of a member of a group.
  const Aabb& normals_of(const Group& group, int member) const;

  BoxTree boxes_;
  std::vector<Aabb> normals_, node_normals_;  // of the features, and of those below each node
  std::vector<Group> groups_;                 // the first is the root
};

}  // namespace amontons
