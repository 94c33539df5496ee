#pragma once

#include "amontons/geometry/shapes/box_tree.h"
#include "amontons/math/pose.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace amontons {

/// Says how far from a feature one that touches it along a common normal n can be: the way from one
/// to the other is g n with a gap g in [-depth, gap], and a way beside it.
struct FeatureReach {
  double gap = 0.0, depth = 0.0;  ///< [m], >= 0
  double beside = 0.0;            ///< [m], >= 0; infinite: features may be anywhere
  double lean = 0.0;              ///< by which n may leave the normals of one of them [-], a chord

  /// Returns the box of where a feature is that touches one in `box` along one of these normals.
  Aabb around(const Aabb& box, const Aabb& normals) const;
  /// Returns how far that is ahead or back along an axis [m], given the range of n's component.
  double ahead(double low, double high) const {
    return std::max(std::max(gap * high, -depth * low), 0.0) + beside;
  }
  double back(double low, double high) const { return ahead(-high, -low); }
};

/// Holds a hierarchy over features of a surface, each with the box around it and the box around the
/// unit normals along which it may be touched. It finds those near another surface's features with
/// opposite normals [Johnson and Cohen 2001].
class FeatureTree {
 public:
  FeatureTree() = default;
  FeatureTree(const std::vector<Aabb>& boxes, std::vector<Aabb> normals);

  const BoxTree& boxes() const { return boxes_; }

  /// Finds the features that may touch one of another surface, in the same frame, which has a box
  /// and a box around its normals; replaces `features`, in increasing order.
  void find(const Aabb& box, const Aabb& normals, const FeatureReach& reach,
            std::vector<int>& features) const;

  /// Says of a pair of features (of this tree, of the other) whose boxes and normals allow it
  /// whether they may touch.
  using Test = std::function<bool(int own, int theirs)>;
  /// Finds the features of both surfaces that may touch one of the other surface; replaces `own`
  /// and `theirs`, in increasing order.
  /// @param X_TO  pose of the other surface in the frame of this one.
  void find_facing(const FeatureTree& other, const Pose& X_TO, const FeatureReach& reach,
                   const Test& may_touch, std::vector<int>& own, std::vector<int>& theirs) const;

 private:
  class FacingSearch;
  struct Bounds;

  std::vector<Aabb> normals_, node_normals_;
  BoxTree boxes_;
};

}  // namespace amontons
