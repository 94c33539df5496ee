#include "amontons/math/elementary.h"
#include "amontons/simulation/scene/scene.h"

#include <numbers>

namespace amontons {

double JointMotion::position(double time) const {
  if (trajectory) return trajectory->value(time);
  // Sinusoid: q = offset + amplitude sin(2 pi t/period).
  return offset + amplitude * elementary::sin(2.0 * std::numbers::pi * time / period);
}

double JointMotion::rate(double time) const {
  if (trajectory) return trajectory->rate(time);
  // Its derivative over time, with the angular frequency [rad/s].
  const double angular = 2.0 * std::numbers::pi / period;
  return angular * amplitude * elementary::cos(angular * time);
}

}  // namespace amontons
