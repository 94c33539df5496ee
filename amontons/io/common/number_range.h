#pragma once

#include <limits>

namespace amontons::io {

/// Says which numbers a dataset may hold: those from `lower` to `upper`, both included. No range
/// has NaN.
struct NumberRange {
  double lower = -std::numeric_limits<double>::infinity();  ///< smallest number
  double upper = std::numeric_limits<double>::infinity();   ///< largest number
  /// True where only rows that claim their law have such numbers; others may have any, and NaN.
  bool of_claims = false;

  /// Returns true if the range has the number.
  bool has(double number) const { return lower <= number && number <= upper; }
};

/// Holds the numbers that are finite.
inline constexpr NumberRange kFinite = {std::numeric_limits<double>::lowest(),
                                        std::numeric_limits<double>::max()};
/// Holds the numbers that are not negative: those of counts and indices.
inline constexpr NumberRange kNotNegative = {0.0};

}  // namespace amontons::io
