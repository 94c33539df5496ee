#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace amontons {

/// Bounds the magnitude of every number of a file or of a problem given as arrays. No physical
/// quantity is larger, and products of a few such numbers are finite.
inline constexpr double kLargestNumber = 1e100;

/// Checks the largest magnitude among the numbers of a problem.
/// @param what  names them, for the message: "contact problem: q".
/// @throws std::invalid_argument  where it exceeds kLargestNumber or is not a number.
inline void require_magnitude(const std::string& what, double largest) {
  if (largest <= kLargestNumber) return;
  throw std::invalid_argument(what + " holds a number above 1e100");
}

/// Returns a power of two near a positive size. Its inverse is finite, also for subnormal sizes.
inline double unit_near(double size) {
  return std::ldexp(1.0, std::clamp(std::ilogb(size), -1000, 1000));
}

}  // namespace amontons
