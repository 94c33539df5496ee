#pragma once

#include <array>

namespace amontons {

/// Describes by how much one coordinate follows another, x:
/// offset + multiplier x + powers[0] x^2 + powers[1] x^3 + powers[2] x^4.
struct CouplingCurve {
  double multiplier = 1.0, offset = 0.0;  ///< [-], [rad or m]
  std::array<double, 3> powers{};         ///< of the second to the fourth power

  /// Returns the value at x less the offset.
  double rise(double x) const {
    return x * (multiplier + x * (powers[0] + x * (powers[1] + x * powers[2])));
  }
  /// Returns the value at x.
  double value(double x) const { return offset + rise(x); }
  /// Returns the slope at x.
  double slope(double x) const {
    return multiplier + x * (2.0 * powers[0] + x * (3.0 * powers[1] + x * 4.0 * powers[2]));
  }
  /// Returns true for a gear, whose curve is a line.
  bool is_linear() const { return powers == std::array<double, 3>{}; }
};

}  // namespace amontons
