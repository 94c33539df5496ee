#include "amontons/math/elementary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sleef.h>

// "cinz" names the versions without fused operations, "u10" an error of 1.0 units in the last
// place.

namespace amontons::elementary {
namespace {

// A side of this share of the other one does not change it [-].
constexpr double kNegligible = 0x1p-54;
// Beyond these sizes squares could overflow or lose digits. The scale is a power of two, so exact.
constexpr double kLarge = 0x1p500, kSmall = 0x1p-400, kScale = 0x1p600;

/// Returns the root of a^2 + b^2 for a >= b > 0, whose squares are normal numbers: the rounded
/// root, from which the rounding errors of its square are taken.
double corrected_root(double a, double b) {
  const double root = std::sqrt(a * a + b * b);
  // root^2 - a^2 - b^2 from small differences alone.
  double excess = 0.0;
  if (root <= 2.0 * b) {
    const double more = root - b;
    excess = a * (2.0 * more - a) + (more - 2.0 * (a - b)) * more;
  } else {
    const double more = root - a;
    excess = 2.0 * more * (a - 2.0 * b) + ((4.0 * more - b) * b + more * more);
  }
  return root - excess / (2.0 * root);
}

}  // namespace

double sin(double x) { return Sleef_cinz_sind1_u10purec(x); }
double cos(double x) { return Sleef_cinz_cosd1_u10purec(x); }
double tan(double x) { return Sleef_cinz_tand1_u10purec(x); }
double atan2(double y, double x) { return Sleef_cinz_atan2d1_u10purec(y, x); }
double exp(double x) { return Sleef_cinz_expd1_u10purec(x); }
double log(double x) { return Sleef_cinz_logd1_u10purec(x); }
double pow(double x, double y) { return Sleef_cinz_powd1_u10purec(x, y); }

double hypot(double x, double y) {
  // An infinite side is infinite, whatever the other one is.
  if (std::isinf(x) || std::isinf(y)) return std::numeric_limits<double>::infinity();
  if (std::isnan(x) || std::isnan(y)) return x + y;
  const double a = std::max(std::abs(x), std::abs(y)), b = std::min(std::abs(x), std::abs(y));
  if (b <= kNegligible * a) return a + b;
  if (a > kLarge) return corrected_root(a / kScale, b / kScale) * kScale;
  if (b < kSmall) return corrected_root(a * kScale, b * kScale) / kScale;
  return corrected_root(a, b);
}

}  // namespace amontons::elementary
