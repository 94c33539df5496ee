#pragma once

#include <cmath>
#include <limits>

namespace amontons {

/// Returns the factor s > 0 with s^2 T(s) = energy, for a function T > 0. A factor within rounding
/// of 1 is 1, so that the motion of constant inertia has no noise. Where T has no finite root it
/// is 1.
template <typename Energy>
double energy_factor(double energy, const Energy& T) {
  constexpr int kMaxIterations = 8;
  constexpr int kMaxBisections = 60;
  constexpr double kRounding = 64.0 * std::numeric_limits<double>::epsilon();
  // Ordinary steps contract.
  double s = 1.0;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    const double next = std::sqrt(energy / T(s));
    if (!std::isfinite(next)) return 1.0;
    const double change = std::abs(next - s);
    if (change <= kRounding) return std::abs(next - 1.0) <= kRounding ? 1.0 : next;
    s = next;
  }
  // s^2 T(s) grows from 0 without bound, so that a root lies between.
  double lower = 0.0, upper = 1.0;
  for (int k = 0; k < kMaxBisections && upper * upper * T(upper) < energy; ++k) {
    lower = upper;
    upper *= 2.0;
  }
  for (int k = 0; k < kMaxBisections; ++k) {
    const double middle = 0.5 * (lower + upper);
    (middle * middle * T(middle) < energy ? lower : upper) = middle;
  }
  // The lower end gains no energy; T is left there.
  T(lower);
  return lower;
}

}  // namespace amontons
