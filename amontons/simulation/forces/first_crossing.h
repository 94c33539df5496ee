#pragma once

#include <cmath>

namespace amontons {

/// Holds one end of an interval and the value of a function there.
struct CrossingEnd {
  double at = 0.0, value = 0.0;
};

/// Returns where a continuous function becomes positive: a point of the interval where it is within
/// `zero` of zero, or else the last positive one, when the interval has shrunk to `width`. Regula
/// falsi halves the value of an end that stays [Dowell, Jarratt 1971]; at most 100 evaluations.
/// @param inside   end at which the function is negative.
/// @param outside  end at which it is positive.
template <typename Function>
double find_crossing(CrossingEnd inside, CrossingEnd outside, double zero, double width,
                     const Function& function) {
  constexpr int kMaxSteps = 100;
  int side = 0;  // end that the last step replaced
  for (int i = 0; i < kMaxSteps && std::abs(outside.at - inside.at) > width; ++i) {
    double at =
        (inside.at * outside.value - outside.at * inside.value) / (outside.value - inside.value);
    // Rounding may leave the bracket; then bisect.
    if (!((at - inside.at) * (outside.at - at) > 0.0)) at = 0.5 * (inside.at + outside.at);
    const double value = function(at);
    if (std::abs(value) <= zero) return at;
    if (value > 0.0) {
      outside = {at, value};
      if (side == 1) inside.value *= 0.5;
      side = 1;
    } else {
      inside = {at, value};
      if (side == -1) outside.value *= 0.5;
      side = -1;
    }
  }
  return outside.at;
}

}  // namespace amontons
