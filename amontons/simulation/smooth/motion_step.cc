#include "amontons/simulation/smooth/motion_step.h"

#include "amontons/math/elementary.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

// Share of the length at which the error, of fifth order, would equal the tolerance.
constexpr double kCaution = 0.9;

/// Returns the factor of the step length for an error in tolerances: error is of order h^5.
double share_for(double error) { return kCaution * elementary::pow(error, -0.2); }

}  // namespace

double MotionStep::relative_error() const {
  const double speed = std::max(units_.fastest(base_velocity()), units_.fastest(velocity()));
  const double error =
      std::max(units_.fastest(error_.head(nv_)), units_.fastest(error_.segment(nv_, nv_)));
  return error / (1.0 + speed);
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
