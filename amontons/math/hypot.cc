#include "amontons/math/elementary.h"

#include <cmath>
#include <limits>

namespace amontons::elementary {
namespace {

// Returns the root of a a + b b for a >= b >= 0, whose squares are normal numbers. The rounding
// errors of the first value are subtracted from it.
double corrected_root(double a, double b) {
  const double h = std::sqrt(a * a + b * b);
  if (h <= 2.0 * b) {
    const double d = h - b;
    return h - (a * (2.0 * d - a) + (d - 2.0 * (a - b)) * d) / (2.0 * h);
  }
  const double d = h - a;
  return h - (2.0 * d * (a - 2.0 * b) + ((4.0 * d - b) * b + d * d)) / (2.0 * h);
}

}  // namespace

double hypot(double x, double y) {
  // An infinite side is infinite, whatever the other one is.
  if (std::isinf(x) || std::isinf(y)) return std::numeric_limits<double>::infinity();
  if (std::isnan(x) || std::isnan(y)) return x + y;

  // Beyond these sizes squares overflow or lose digits; the scale is a power of two, which is
  // exact.
  constexpr double kLarge = 0x1p511, kTiny = 0x1p-459, kScale = 0x1p600, kNegligible = 0x1p-54;
  x = std::abs(x);
  y = std::abs(y);
  const double a = x < y ? y : x, b = x < y ? x : y;
  if (a > kLarge) {
    return b <= a * kNegligible ? a + b : corrected_root(a / kScale, b / kScale) * kScale;
  }
  if (b < kTiny) {
    return a >= b / kNegligible ? a + b : corrected_root(a * kScale, b * kScale) / kScale;
  }
  return b <= a * kNegligible ? a + b : corrected_root(a, b);
}

}  // namespace amontons::elementary
