#pragma once

#include "experiments/experiment.h"

#include <string>
#include <utility>
#include <vector>

namespace amontons::experiments {

/// Records the position and the velocity of a joint for a figure: of each interval of time the
/// values farthest from zero, so that chatter between two marks stays visible.
class JointTrace {
 public:
  /// @param interval  length of the intervals [s].
  explicit JointTrace(double interval) : interval_(interval) {}

  /// Adds a step. @param time, position, velocity  at its end [s, rad, rad/s].
  void add(double time, double position, double velocity);

  /// Returns the positions [rad] over time [s].
  Curve positions(const std::string& name) const { return {name, time_, position_}; }
  /// Returns the velocities [rad/s] over time [s].
  Curve velocities(const std::string& name) const { return {name, time_, velocity_}; }

 private:
  double interval_;
  std::vector<double> time_, position_, velocity_;
};

/// Draws velocity and position of a joint in several runs, as the upper and the lower part of a
/// paper's figure.
/// @param joint, figure  their names, as "bicep" and "Fig. 8".
/// @param runs           name and trace of each.
void draw_traces(const std::string& joint, const std::string& figure,
                 const std::vector<std::pair<std::string, JointTrace>>& runs, Findings& findings);

}  // namespace amontons::experiments
