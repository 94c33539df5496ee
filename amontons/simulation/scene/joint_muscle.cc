#include "amontons/simulation/scene/joint_muscle.h"

#include <algorithm>
#include <cstddef>

namespace amontons {
namespace {

/// Returns the index of the control that holds at a time.
std::size_t control_at(const JointMuscle& muscle, double time) {
  const auto later =
      std::upper_bound(muscle.controls.begin(), muscle.controls.end(), time,
                       [](double t, const MuscleControl& control) { return t < control.since; });
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(later - muscle.controls.begin(), 1) - 1);
}

}  // namespace

void set_controls(JointMuscle& muscle, double start, const std::vector<double>& since,
                  const std::vector<double>& controls) {
  muscle.controls.clear();
  for (std::size_t i = 0; i < controls.size(); ++i) {
    MuscleControl own{i == 0 ? 0.0 : since[i], clamped_control(muscle, controls[i]), start};
    // A control from before the start of the run replaces the first one.
    if (own.since <= 0.0) muscle.controls.clear();
    if (!muscle.controls.empty()) {
      own.activation = muscle_activation(muscle.times, muscle.controls.back(), own.since);
    }
    own.since = std::max(own.since, 0.0);
    muscle.controls.push_back(own);
  }
}

double clamped_control(const JointMuscle& muscle, double control) {
  return std::clamp(control, muscle.control_range[0], muscle.control_range[1]);
}

double activation_of(const JointMuscle& muscle, double time) {
  if (muscle.table) return muscle.table->value(time);
  return muscle_activation(muscle.times, muscle.controls[control_at(muscle, time)], time);
}

double mean_activation_of(const JointMuscle& muscle, double from, double to) {
  if (muscle.table) return muscle.table->mean(from, to);
  // The pieces of a step each have a control of their own.
  double sum = 0.0, begin = from;
  for (std::size_t i = control_at(muscle, from); i < muscle.controls.size() && begin < to; ++i) {
    const bool is_last = i + 1 == muscle.controls.size();
    const double end = is_last ? to : std::min(to, muscle.controls[i + 1].since);
    if (begin == from && end == to) {
      return mean_muscle_activation(muscle.times, muscle.controls[i], from, to);
    }
    sum += (end - begin) * mean_muscle_activation(muscle.times, muscle.controls[i], begin, end);
    begin = end;
  }
  return sum / (to - from);
}

}  // namespace amontons
