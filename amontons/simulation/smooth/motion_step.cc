#include "amontons/simulation/smooth/motion_step.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

// What is left to the next step of the length at which the error, of fifth order, would be the
// tolerance.
constexpr double kCaution = 0.9;

double share_for(double error) { return kCaution * std::pow(error, -0.2); }

}  // namespace

/// In units of what is allowed; far above that where it is not finite.
double MotionStep::error() const {
  const double speed =
      std::max(base_velocity().lpNorm<Eigen::Infinity>(), velocity().lpNorm<Eigen::Infinity>());
  const double error =
      error_.head(2 * nv_).lpNorm<Eigen::Infinity>() / (tolerance_ * (1.0 + speed));
  return std::isfinite(error) ? std::max(error, 1e-10) : 1e10;
}

double MotionStep::longer(double h) const { return h * std::clamp(share_for(error()), 1.0, 5.0); }

double MotionStep::shorter(double h) const {
  return h * std::clamp(share_for(error()), 0.2, kCaution);
}

}  // namespace amontons
