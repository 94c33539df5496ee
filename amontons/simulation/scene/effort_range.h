#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {

/// Bounds the effort of a servo [N m or N]. Both ends are finite and contain 0, or both are
/// infinite.
struct EffortRange {
  EffortRange() = default;
  /// Sets both ends.
  EffortRange(double least_effort, double largest_effort)
      : least(least_effort), largest(largest_effort) {}

  double least = -std::numeric_limits<double>::infinity();   ///< at most 0
  double largest = std::numeric_limits<double>::infinity();  ///< at least 0

  /// Returns the range with the same limit both ways.
  static EffortRange symmetric(double limit) { return {-limit, limit}; }

  /// Returns true if it bounds anything.
  bool is_limited() const { return std::isfinite(least) || std::isfinite(largest); }
  /// Returns the limit both ways, 0 where the ends have different sizes.
  double symmetric_limit() const { return least == -largest ? largest : 0.0; }
  /// Returns the larger size of both ends.
  double size() const { return std::max(-least, largest); }
  /// Returns the nearest effort within the range.
  double clamp(double effort) const { return std::clamp(effort, least, largest); }
};

}  // namespace amontons
