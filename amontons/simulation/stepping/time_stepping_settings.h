#pragma once

#include "amontons/models/common/contact_model.h"
#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/stepping/assembly.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace amontons {

/// Returns the shortest of the scene's steps [s].
double shortest_step(const std::vector<double>& steps);

/// Returns the scene's minimum_step of event-driven methods, or its default: a thousandth of the
/// shortest step [s].
double minimum_step(const SimulationSettings& settings);

/// Holds the scene's settings that a stepper reads, with the model's presets filled in.
struct TimeSteppingSettings {
  std::vector<double> steps;  ///< step lengths, used in turn [s]
  double gamma = 1.0;
  bool literal_gamma = false;
  double tolerance = 1e-8;
  std::optional<double> v_max;            ///< [m/s]
  std::optional<double> contact_horizon;  ///< [m]; instead of v_max
  std::optional<double> rest_speed;       ///< [m/s]; 2 g h where absent
  std::optional<double> overlap_speed;    ///< [m/s]; by the size of the bodies where absent
  std::optional<double> minimum_step;     ///< event-driven and hybrid: between events [s]
  /// A bounce that takes less time does not count, which gives rest_speed [s]. Event-driven:
  /// minimum_step. Hybrid and impulse-based: twice the longest step. Time stepping: twice the step.
  std::optional<double> shortest_bounce;
  /// Time in which the share gamma of an overlap or an error of joints is removed [s]: event-driven
  /// methods the shortest step, since a motion up to an event may be a thousandth of it, and would
  /// part bodies as many times faster. Absent: each step.
  std::optional<double> correction_time;
  bool bounces_at_rest = false;  ///< impulse-based: contacts bounce below rest_speed, too
  bool predicted_position = false;
  JointFriction joint_friction = JointFriction::Coupled;
  bool projection = false;
  int post_stabilization = 0;
  int position_iterations = 0;

  /// Returns the model's presets, overridden by the scene's explicit settings.
  static TimeSteppingSettings from(const SimulationSettings& settings, const ModelTraits& traits);

  double step_size(std::int64_t step_count) const;  ///< [s]
  double time_of(std::int64_t step_count) const;    ///< [s], without accumulated rounding
  /// Returns the first instant of the steps later than `time` by more than rounding [s].
  double next_time(double time) const;
  /// Returns the closing speed that gives every pair the horizon asked for in a step of this length
  /// [m/s]: v_max, or contact_horizon / step. None: from the speeds of the shapes.
  std::optional<double> closing_speed(double step) const;
  /// Returns the parameters of a step of length `step` [s].
  StepParameters parameters(double step, const System& system) const;
  /// Returns the approach speed above which an impact has its own instant [m/s]; not for time
  /// stepping.
  double event_speed(const System& system) const;
  /// Returns true where J and the gaps belong to the expected end of the step.
  bool evaluates_ahead() const { return predicted_position || position_iterations > 0; }
};

/// Returns the scene's settings that contact models read.
ModelSettings model_settings(const SimulationSettings& settings);

}  // namespace amontons
