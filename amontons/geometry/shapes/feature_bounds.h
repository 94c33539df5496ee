#pragma once

#include "amontons/geometry/shapes/bounding_box.h"
#include "amontons/geometry/shapes/closing_motion.h"

#include <Eigen/Core>

#include <array>

namespace amontons {

/// Says how far from a feature one that touches it along a common normal n can be: the way from one
/// to the other is g n with a gap g in [-depth, gap], and a way beside it.
struct FeatureReach {
  double gap = 0.0, depth = 0.0;  ///< [m], >= 0
  double beside = 0.0;            ///< [m], >= 0; infinite: features may be anywhere
  double lean = 0.0;              ///< by which n may leave the normals of one of them [-], a chord
};

/// Holds a reach in single precision, rounded up.
struct RoundedReach {
  float gap, depth, beside, lean;

  explicit RoundedReach(const FeatureReach& reach);
};

/// Bounds features of a surface: the box around them and that around the unit normals along which
/// they may be touched, in single precision, rounded outwards.
struct FeatureBounds {
  std::array<float, 3> lower{}, upper{}, normals_lower{}, normals_upper{};

  FeatureBounds() = default;
  FeatureBounds(const Aabb& box, const Aabb& normals);

  /// Returns the bounds with the opposite normals, as what is touched sees them.
  FeatureBounds facing() const;
};

// Members of a group of features at most, whose bounds are tested at once.
constexpr int kFeaturesOfGroup = 4;
/// Holds one coordinate of the members of a group beside each other.
using OfFeatures = std::array<Eigen::Array4f, 3>;

/// Holds a motion of another surface in single precision; what is limited is rounded up.
struct RoundedMotion {
  std::array<std::array<float, 3>, 2> linear{}, angular{};  ///< of its twists [m/s], [rad/s]
  float time, still;                                        ///< [s], [m]

  explicit RoundedMotion(const ClosingMotion& motion);
};

/// Bounds the velocities of another surface at the members of a group, by which gaps close. Their
/// gaps are at most `still` + `time` times the speed at which they close.
struct FeatureVelocities {
  OfFeatures lower, upper;
  float time = 0.0f, still = 0.0f;

  FeatureVelocities() = default;
  /// Bounds them in the boxes of four members [m].
  FeatureVelocities(const OfFeatures& box_lower, const OfFeatures& box_upper,
                    const RoundedMotion& motion);
  /// Bounds them in one box, for every member.
  FeatureVelocities(const Aabb& box, const RoundedMotion& motion);
};

/// Holds up to four members, which are features or groups of them, and their bounds. Members that
/// are not there have those of the first.
struct FeatureGroup {
  OfFeatures lower, upper, normals_lower, normals_upper;
  int count = 0;  ///< of its members

  /// Adds a member.
  void add(const FeatureBounds& bounds);
  /// Returns the bounds around all members.
  FeatureBounds bounds() const;
  /// Returns the members whose boxes overlap another one, as bits.
  unsigned overlapping(const FeatureBounds& other) const;
  /// Returns the members that may touch a feature of another surface, as bits.
  /// @param other  it faces them: with the opposites of its normals.
  /// @param velocities  of the other surface at the members; null: they do not count.
  unsigned may_touch(const FeatureBounds& other, const RoundedReach& reach,
                     const FeatureVelocities* velocities) const;
};

}  // namespace amontons
