#include "amontons/simulation/stepping/time_stepping_settings.h"

#include "amontons/simulation/stepping/correction_limits.h"

#include <algorithm>

namespace amontons {

double shortest_step(const std::vector<double>& steps) {
  return *std::min_element(steps.begin(), steps.end());
}

double minimum_step(const SimulationSettings& settings) {
  return settings.events.minimum_step.value_or(1e-3 * shortest_step(settings.steps));
}

TimeSteppingSettings TimeSteppingSettings::from(const SimulationSettings& settings,
                                                const ModelTraits& traits) {
  TimeSteppingSettings result;
  result.steps = settings.steps;
  result.gamma = settings.gamma.value_or(traits.gamma.value_or(1.0));
  result.literal_gamma = settings.literal_gamma;
  result.tolerance = settings.tolerance;
  result.v_max = settings.v_max;
  result.contact_horizon = settings.contact_horizon;
  result.rest_speed = settings.rest_speed;
  result.overlap_speed = settings.overlap_speed;
  // Event-driven methods evaluate at the start always, and need a shortest bounce.
  if (settings.method == "time-stepping") {
    result.predicted_position = traits.predicted_position;
  } else {
    const double longest = *std::max_element(settings.steps.begin(), settings.steps.end());
    result.minimum_step = amontons::minimum_step(settings);
    result.shortest_bounce =
        settings.method == "event-driven" ? *result.minimum_step : 2.0 * longest;
    result.correction_time = shortest_step(settings.steps);
    result.bounces_at_rest = settings.method == "impulse-based";
  }
  result.joint_friction = settings.joint_friction;
  result.projection = settings.projection;
  result.post_stabilization = settings.post_stabilization;
  result.position_iterations = settings.position_iterations;
  return result;
}

double TimeSteppingSettings::step_size(std::int64_t step_count) const {
  return steps[static_cast<std::size_t>(step_count) % steps.size()];
}

double TimeSteppingSettings::time_of(std::int64_t step_count) const {
  // Whole cycles times their length, plus the steps of the last cycle: no sum over all steps.
  double cycle = 0.0, rest = 0.0;
  const auto n = static_cast<std::int64_t>(steps.size());
  for (std::int64_t i = 0; i < n; ++i) {
    cycle += steps[static_cast<std::size_t>(i)];
    if (i < step_count % n) rest += steps[static_cast<std::size_t>(i)];
  }
  return static_cast<double>(step_count / n) * cycle + rest;
}

std::optional<double> TimeSteppingSettings::closing_speed(double step) const {
  if (contact_horizon) return *contact_horizon / step;
  return v_max;
}

StepParameters TimeSteppingSettings::parameters(double step, const System& system) const {
  // rest_speed = g times the shortest bounce: 2 g h in time stepping.
  const double bounce = shortest_bounce.value_or(2.0 * step);
  const double speed = rest_speed.value_or(system.gravity().norm() * bounce);
  const double share = correction_time ? std::min(1.0, step / *correction_time) : 1.0;
  return {step, literal_gamma ? gamma : share * gamma, literal_gamma, bounces_at_rest ? 0.0 : speed,
          overlap_speed ? *overlap_speed : default_overlap_speed(system)};
}

double TimeSteppingSettings::event_speed(const System& system) const {
  return rest_speed.value_or(system.gravity().norm() * shortest_bounce.value_or(0.0));
}

double TimeSteppingSettings::next_time(double time) const {
  constexpr double kTimeRounding = 1e-9;  // share of a step
  const auto n = static_cast<std::int64_t>(steps.size());
  // The search starts at the cycle that contains the time.
  auto count = static_cast<std::int64_t>(time / time_of(n)) * n;
  while (time_of(count) <= time + kTimeRounding * step_size(count)) ++count;
  return time_of(count);
}

ModelSettings model_settings(const SimulationSettings& settings) {
  ModelSettings model;
  model.tolerance = settings.tolerance;
  model.acceptable_tolerance = settings.acceptable_tolerance;
  model.friction_directions = settings.friction_directions;
  // Stronge's law belongs to impacts in sequence, which steps do not have.
  if (settings.restitution_law != RestitutionLaw::Stronge) {
    model.restitution = settings.restitution_law;
  }
  model.max_iterations = settings.max_iterations;
  model.minimum_norm = settings.minimum_norm;
  model.literal_viscous_bound = settings.literal_viscous_bound;
  model.impulse_cap = settings.impulse_cap;
  model.sticking = settings.sticking;
  return model;
}

}  // namespace amontons
