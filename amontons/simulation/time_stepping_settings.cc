#include "amontons/simulation/time_stepping_settings.h"

namespace amontons {

TimeSteppingSettings TimeSteppingSettings::from(const SimulationSettings& settings,
                                                const ModelTraits& traits) {
  TimeSteppingSettings result;
  result.steps = settings.steps;
  result.gamma = settings.gamma.value_or(traits.gamma.value_or(1.0));
  result.literal_gamma = settings.literal_gamma;
  result.tolerance = settings.tolerance;
  result.v_max = settings.v_max;
  result.rest_speed = settings.rest_speed;
  result.overlap_speed = settings.overlap_speed;
  result.predicted_position = traits.predicted_position;
  result.joint_friction = settings.joint_friction;
  result.projection = settings.projection;
  result.position_iterations = settings.position_iterations;
  return result;
}

double TimeSteppingSettings::step_size(std::int64_t step_count) const {
  return steps[static_cast<std::size_t>(step_count) % steps.size()];
}

double TimeSteppingSettings::time_of(std::int64_t step_count) const {
  double cycle = 0.0, rest = 0.0;
  const auto n = static_cast<std::int64_t>(steps.size());
  for (std::int64_t i = 0; i < n; ++i) {
    cycle += steps[static_cast<std::size_t>(i)];
    if (i < step_count % n) rest += steps[static_cast<std::size_t>(i)];
  }
  return static_cast<double>(step_count / n) * cycle + rest;
}

StepParameters TimeSteppingSettings::parameters(double step, double gravity) const {
  return {step, gamma, literal_gamma, rest_speed.value_or(2.0 * gravity * step), overlap_speed};
}

}  // namespace amontons
