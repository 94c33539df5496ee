#include "amontons/geometry/shapes/feature_bounds.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace amontons {
namespace {

using Eigen::Array4f;

// More than the rounding of a few operations in single precision, relative [-].
constexpr float kRounding = 1e-6f;
// Added to it: products of the least differences stay normal numbers, as denormal ones are slow.
constexpr float kLeast = 1e-12f;
// The bits of all members.
constexpr unsigned kAll = (1u << kFeaturesOfGroup) - 1u;

/// Returns a number in single precision that is smaller.
float rounded_down(double x) {
  const auto nearest = static_cast<float>(x);
  return nearest - kRounding * std::abs(nearest) - kLeast;
}
float rounded_up(double x) { return -rounded_down(-x); }

/// Returns the numbers above zero, as bits. Eigen's reductions take several times the work.
unsigned above_zero(const Array4f& x) {
  const Array4f negated = 0.0f - x;
  std::array<std::uint64_t, 2> halves;
  std::memcpy(halves.data(), negated.data(), sizeof(halves));
  const auto signs = [](std::uint64_t half) {
    return static_cast<unsigned>((half >> 31 & 1u) | (half >> 63) << 1);
  };
  return signs(halves[0]) | signs(halves[1]) << 2;
}

/// Returns the least of four numbers.
float least(const Array4f& x) { return std::min(std::min(x[0], x[1]), std::min(x[2], x[3])); }

/// Sets a member; the first also fills the places of those that may follow.
void set_member(int member, const std::array<float, 3>& from, OfFeatures& of_members) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (member == 0) {
      of_members[i].setConstant(from[i]);
    } else {
      of_members[i][member] = from[i];
    }
  }
}

/// Returns the same box for every member.
OfFeatures for_all(const Eigen::Vector3d& x, float (*round)(double)) {
  OfFeatures of_members;
  for (std::size_t i = 0; i < 3; ++i) {
    of_members[i].setConstant(round(x[static_cast<Eigen::Index>(i)]));
  }
  return of_members;
}

}  // namespace

RoundedReach::RoundedReach(const FeatureReach& reach) {
  // What is infinite becomes more than any length, so that its product with 0 is 0.
  const auto finite = [](double x) { return rounded_up(std::min(x, 1e30)); };
  gap = finite(reach.gap);
  depth = finite(reach.depth);
  beside = finite(reach.beside);
  lean = finite(reach.lean);
}

FeatureBounds::FeatureBounds(const Aabb& box, const Aabb& normals) {
  for (std::size_t i = 0; i < 3; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    lower[i] = rounded_down(box.lower[row]);
    upper[i] = rounded_up(box.upper[row]);
    normals_lower[i] = rounded_down(normals.lower[row]);
    normals_upper[i] = rounded_up(normals.upper[row]);
  }
}

FeatureBounds FeatureBounds::facing() const {
  FeatureBounds facing = *this;
  for (std::size_t i = 0; i < 3; ++i) {
    facing.normals_lower[i] = -normals_upper[i];
    facing.normals_upper[i] = -normals_lower[i];
  }
  return facing;
}

RoundedMotion::RoundedMotion(const ClosingMotion& motion)
    : time(rounded_up(motion.time)), still(rounded_up(motion.still)) {
  for (std::size_t n = 0; n < 2; ++n) {
    for (std::size_t i = 0; i < 3; ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      linear[n][i] = static_cast<float>(motion.twists[n].linear[row]);
      angular[n][i] = static_cast<float>(motion.twists[n].angular[row]);
    }
  }
}

FeatureVelocities::FeatureVelocities(const OfFeatures& box_lower, const OfFeatures& box_upper,
                                     const RoundedMotion& motion)
    : time(motion.time), still(motion.still) {
  OfFeatures center, half;
  for (std::size_t i = 0; i < 3; ++i) {
    center[i] = 0.5f * (box_lower[i] + box_upper[i]);
    half[i] = 0.5f * (box_upper[i] - box_lower[i]);
    // Sums may cancel, so that their rounding is relative to their terms.
    half[i] += kRounding * (center[i].abs() + half[i]);
  }
  // v + w x (center + d) with |d| <= half, for each coordinate, by both twists.
  const auto middle = [&](std::size_t n, std::size_t i, std::size_t j, std::size_t k) -> Array4f {
    return motion.linear[n][i] + motion.angular[n][j] * center[k] -
           motion.angular[n][k] * center[j];
  };
  const auto spread = [&](std::size_t n, std::size_t i, std::size_t j, std::size_t k) -> Array4f {
    return std::abs(motion.angular[n][j]) * half[k] + std::abs(motion.angular[n][k]) * half[j] +
           (kRounding * std::abs(motion.linear[n][i]) + kLeast);
  };
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    const Array4f middle_0 = middle(0, i, j, k), middle_1 = middle(1, i, j, k);
    const Array4f spread_0 = spread(0, i, j, k), spread_1 = spread(1, i, j, k);
    lower[i] = (middle_0 - spread_0).min(middle_1 - spread_1);
    upper[i] = (middle_0 + spread_0).max(middle_1 + spread_1);
  }
}

FeatureVelocities::FeatureVelocities(const Aabb& box, const RoundedMotion& motion)
    : FeatureVelocities(for_all(box.lower, rounded_down), for_all(box.upper, rounded_up), motion) {}

void FeatureGroup::add(const FeatureBounds& bounds) {
  set_member(count, bounds.lower, lower);
  set_member(count, bounds.upper, upper);
  set_member(count, bounds.normals_lower, normals_lower);
  set_member(count, bounds.normals_upper, normals_upper);
  ++count;
}

FeatureBounds FeatureGroup::bounds() const {
  FeatureBounds all;
  for (std::size_t i = 0; i < 3; ++i) {
    all.lower[i] = least(lower[i]);
    all.upper[i] = -least(-upper[i]);
    all.normals_lower[i] = least(normals_lower[i]);
    all.normals_upper[i] = -least(-normals_upper[i]);
  }
  return all;
}

unsigned FeatureGroup::overlapping(const FeatureBounds& other) const {
  Array4f apart = Array4f::Constant(-1.0f);
  for (std::size_t i = 0; i < 3; ++i) {
    apart = apart.max(lower[i] - other.upper[i]).max(other.lower[i] - upper[i]);
  }
  return ~above_zero(apart) & ((1u << count) - 1u);
}

unsigned FeatureGroup::may_touch(const FeatureBounds& other, const RoundedReach& reach,
                                 const FeatureVelocities* velocities) const {
  // The common normal is near the normals of both: n is in [low, high].
  OfFeatures low, high;
  Array4f apart = Array4f::Constant(-1.0f);
  for (std::size_t i = 0; i < 3; ++i) {
    low[i] = normals_lower[i].max(other.normals_lower[i]) - reach.lean;
    high[i] = normals_upper[i].min(other.normals_upper[i]) + reach.lean;
    apart = apart.max(low[i] + reach.lean - high[i]);
  }
  // Most members that are left out face another way.
  if (above_zero(apart) == kAll) return 0;
  Array4f gap = Array4f::Constant(reach.gap);
  if (velocities != nullptr) {
    // The speed at which a gap closes is -n . v; the largest products bound it.
    OfFeatures lowest;
    for (std::size_t i = 0; i < 3; ++i) {
      const Array4f &v_low = velocities->lower[i], &v_high = velocities->upper[i];
      lowest[i] = (low[i] * v_low).min(low[i] * v_high).min(high[i] * v_low).min(high[i] * v_high);
    }
    const Array4f closing = -(lowest[0] + lowest[1] + lowest[2]);
    gap = gap.min(velocities->still + velocities->time * closing.max(0.0f));
  }
  // Where they touch, the other feature is at most `ahead` before a member along an axis, and at
  // most `back` behind it.
  for (std::size_t i = 0; i < 3; ++i) {
    const Array4f ahead = (gap * high[i]).max(-reach.depth * low[i]).max(0.0f);
    const Array4f back = (-gap * low[i]).max(reach.depth * high[i]).max(0.0f);
    const Array4f between =
        (lower[i] - back - other.upper[i]).max(other.lower[i] - upper[i] - ahead);
    apart = apart.max(between - reach.beside);
  }
  return ~above_zero(apart) & ((1u << count) - 1u);
}

}  // namespace amontons
