#pragma once

#include "amontons/geometry/shapes/box_tree.h"
#include "amontons/geometry/shapes/closing_motion.h"
#include "amontons/math/pose.h"

#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace amontons {

/// Says how far from a feature one that touches it along a common normal n can be: the way from one
/// to the other is g n with a gap g in [-depth, gap], and a way beside it.
struct FeatureReach {
  double gap = 0.0, depth = 0.0;  ///< [m], >= 0
  double beside = 0.0;            ///< [m], >= 0; infinite: features may be anywhere
  double lean = 0.0;              ///< by which n may leave the normals of one of them [-], a chord
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

  /// Holds a reach in single precision, rounded up.
  struct RoundedReach {
    float gap, depth, beside, lean;

    explicit RoundedReach(const FeatureReach& reach);
  };
  /// Bounds the velocities of the points in a box, by which gaps close. Their gaps are at most
  /// `still` + `time` times the speed at which they close.
  struct Velocities {
    Eigen::Array4f lower = Eigen::Array4f::Zero(), upper = Eigen::Array4f::Zero();
    float time = 0.0f, still = std::numeric_limits<float>::infinity();

    /// Bounds no gap.
    Velocities() = default;
    Velocities(const Aabb& box, const ClosingMotion& motion);
  };
  /// Bounds features: the box around them and that around the unit normals along which they may be
  /// touched, each coordinate beside the others. Numbers are in single precision, rounded outwards:
  /// a test of these bounds takes a few instructions.
  struct Bounds {
    Eigen::Array4f lower, upper, normals_lower, normals_upper;

    Bounds() = default;
    Bounds(const Aabb& box, const Aabb& normals);
    /// Returns true if a feature of these may touch one of another surface.
    /// @param other  its box, and the box around the opposites of its normals.
    /// @param velocities  of the other surface at these features.
    bool may_touch(const Bounds& other, const RoundedReach& reach,
                   const Velocities& velocities) const;
  };

  BoxTree boxes_;
  std::vector<Aabb> normals_, node_normals_;
  std::vector<Bounds> items_, nodes_;  // of the features, and of those below each node
};

}  // namespace amontons
