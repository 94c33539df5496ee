#include "amontons/simulation/smooth/motion_step.h"

#include "amontons/math/elementary.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

// Share of the length at which the error, of fifth order, would equal the tolerance.
constexpr double kCaution = 0.9;

// Errors of RK4, as shares of 1 + speed: of a whole part, and of parts once one had to be divided.
constexpr double kWholeError = 1e-6, kDividedError = 1e-8;

/// Returns the factor of the step length for an error in tolerances: error is of order h^5.
double share_for(double error) { return kCaution * elementary::pow(error, -0.2); }

}  // namespace

double MotionStep::relative_error() const {
  const double speed = std::max(units_.fastest(base_velocity()), units_.fastest(velocity()));
  const double error =
      std::max(units_.fastest(error_.head(nv_)), units_.fastest(error_.segment(nv_, nv_)));
  return error / (1.0 + speed);
}

bool MotionStep::is_small(bool is_divided) const {
  return relative_error() <= (is_divided ? kDividedError : kWholeError);
}

// The bounds keep one odd estimate from changing much.
double MotionStep::divided(double h) const {
  const double share = share_for(relative_error() / kDividedError);
  return h * (std::isfinite(share) ? std::clamp(share, 0.1, 0.5) : 0.1);
}

/// Returns the error in units of the tolerance; a large number where it is not finite.
double MotionStep::error() const {
  const double error = relative_error() / tolerance_;
  return std::isfinite(error) ? std::max(error, 1e-10) : 1e10;
}

// The bounds keep one odd error from changing the length by orders of magnitude.
double MotionStep::longer(double h) const { return h * std::clamp(share_for(error()), 1.0, 5.0); }

double MotionStep::shorter(double h) const {
  return h * std::clamp(share_for(error()), 0.2, kCaution);
}

}  // namespace amontons
