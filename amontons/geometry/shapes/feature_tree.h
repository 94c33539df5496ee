#pragma once

#include "amontons/geometry/shapes/box_tree.h"
#include "amontons/geometry/shapes/closing_motion.h"
#include "amontons/math/pose.h"

#include <array>
#include <functional>
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
  /// @param motion  of the other surface: if given, gaps that it may not close halfway between the
  /// features do not count.
  void find(const Aabb& box, const Aabb& normals, const FeatureReach& reach,
            const std::optional<ClosingMotion>& motion, std::vector<int>& features) const;

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

  // Members of a group of the hierarchy at most, whose bounds are tested at once.
  static constexpr int kMembers = 4;

  /// Holds a reach in single precision, rounded up.
  struct RoundedReach {
    float gap, depth, beside, lean;

    explicit RoundedReach(const FeatureReach& reach);
  };
  /// Bounds features: the box around them and that around the unit normals along which they may be
  /// touched, in single precision, rounded outwards.
  struct Bounds {
    std::array<float, 3> lower{}, upper{}, normals_lower{}, normals_upper{};

    Bounds() = default;
    Bounds(const Aabb& box, const Aabb& normals);
  };
  /// Holds one coordinate of the members of a group beside each other.
  using OfMembers = std::array<Eigen::Array4f, 3>;
  /// Bounds the velocities of the points in the boxes of a group's members, by which gaps close.
  /// Their gaps are at most `still` + `time` times the speed at which they close.
  struct Velocities {
    OfMembers lower, upper;
    float time = 0.0f, still = 0.0f;

    /// Sets the velocities of some members, which share a box.
    void set_members(int first, int count, const Aabb& box, const ClosingMotion& motion);
  };
  /// Holds up to four members, which are features or groups, and their bounds.
  struct Group {
    OfMembers lower, upper, normals_lower, normals_upper;
    std::array<int, kMembers> members{};  // features of a leaf, else groups
    int count = 0;                        // of its members
    int node = 0;                         // of boxes_ whose box it fills
    bool is_leaf = false;
    float size = 0.0f;  // squared diagonal of its box [m^2]

    void set_member(int member, const Bounds& bounds);
    /// Returns the members that may touch a feature of another surface, as bits.
    /// @param other  its box, and the box around the opposites of its normals.
    /// @param velocities  of the other surface at the members; null: they do not count.
    unsigned may_touch(const Bounds& other, const RoundedReach& reach,
                       const Velocities* velocities) const;
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
