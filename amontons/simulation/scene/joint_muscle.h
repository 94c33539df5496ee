#pragma once

#include "amontons/dynamics/muscle.h"
#include "amontons/dynamics/muscle_activation.h"
#include "amontons/math/trajectory.h"
#include "amontons/simulation/scene/effort_range.h"
#include "amontons/simulation/scene/source_location.h"

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace amontons {

/// Lets a muscle act along a joint of one coordinate, or along a tendon. The muscle's length is
/// `gear` times the coordinate, the effort `gear` times its force.
struct JointMuscle {
  std::string name;                               ///< unique among the muscles of its model
  std::string joint;                              ///< name, or model/joint; also a tendon
  Muscle muscle;                                  ///< law of its force
  double gear = 1.0;                              ///< [-], [m/rad] of a joint
  MuscleTimes times;                              ///< of its activation
  std::array<double, 2> control_range{0.0, 1.0};  ///< controls beyond it count as its ends
  std::vector<MuscleControl> controls;  ///< one at least, with ascending `since`, the first at 0
  /// Gives activations over time that no control commands; it replaces `controls`.
  std::optional<Trajectory> table = {};
  double least_force = -std::numeric_limits<double>::infinity();   ///< bounds of the force
  double largest_force = std::numeric_limits<double>::infinity();  ///< [N or N m]
  EffortRange effort;                                              ///< of the joint
  SourceLocation where;                                            ///< its place in the file
  std::string actuator = {};  ///< name of the actuator in its file; empty: none
};

/// Sets the controls of a muscle over time. Each holds until the next, and the activation is
/// continuous.
/// @param start  activation at time 0, in [0, 1].
/// @param since, controls  instants [s], ascending, and the controls from each on; the first one
/// holds before its instant, too.
void set_controls(JointMuscle& muscle, double start, const std::vector<double>& since,
                  const std::vector<double>& controls);

/// Returns the nearest control within the range of a muscle.
double clamped_control(const JointMuscle& muscle, double control);

/// Returns the activation of a muscle by its scene at a time [s].
double activation_of(const JointMuscle& muscle, double time);
/// Returns its mean activation over [from, to], from < to [s].
double mean_activation_of(const JointMuscle& muscle, double from, double to);

}  // namespace amontons
