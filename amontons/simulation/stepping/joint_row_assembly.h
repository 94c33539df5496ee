#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/step_report.h"
#include "amontons/simulation/system/system.h"

#include <array>
#include <string>
#include <vector>

namespace amontons {

/// Selects the bounded rows of a step. Dry friction is not listed: every joint with friction has
/// its row.
struct JointRowSelection {
  std::vector<char> lower, upper;  ///< [joint coordinates] limits that are rows
  std::vector<char> servos;        ///< [servos] those that are rows, not part of M
  /// Marks trees whose joints have no rows in this step [articulations]
  /// (StepEvaluation::integrated); empty: none.
  std::vector<char> integrated;
};

/// Returns true if a coordinate has dry friction.
inline bool has_friction(const CoordinateDynamics& coordinate) {
  return coordinate.dynamics.coulomb_friction > 0.0;
}

/// Returns true if the coordinate's spring is a row. Along rows of J a spring in M would couple
/// blocks of M.
inline bool has_spring_row(const CoordinateDynamics& coordinate) {
  return coordinate.loop >= 0 && coordinate.dynamics.stiffness > 0.0;
}

/// Returns true if the coordinate's damper is a row, for the same reason.
inline bool has_damper_row(const CoordinateDynamics& coordinate) {
  return coordinate.loop >= 0 && coordinate.dynamics.viscous_friction > 0.0;
}

/// Returns the coordinate's limits [rad or m], or null.
inline const std::array<double, 2>* limits_of(const CoordinateDynamics& coordinate) {
  const bool has_position = coordinate.q_index >= 0 || coordinate.loop >= 0;
  return has_position && coordinate.dynamics.limits ? &*coordinate.dynamics.limits : nullptr;
}

/// Writes the rows of a selection (contact/bounded_row.h) into a problem, sorted by key: limits,
/// friction, servos; along rows of J springs and dampers, too.
/// @param friction  true: dry friction and such dampers are rows.
/// @param start     kinematics at the start of the step.
/// @param h         [s]; an impact, 0, has limits alone.
void add_joint_rows(const System& system, const JointRowSelection& selection, bool friction,
                    const SystemKinematics& start, double h, ContactProblem& problem);

/// Returns the mean efforts in a step along each of System::loop_coordinates() [N m or N], of all
/// that acts along it: commands, actuators, muscles, springs, dampers, dry friction, limits,
/// couplings, prescribed motions, and tendons that are sums of joint coordinates.
/// @param start  kinematics at the start of the step.
/// @param with_stops  false: without limits and dry friction.
Eigen::VectorXd loop_efforts(const System& system, const StepReport& report,
                             const SystemKinematics& start, bool with_stops = true);

/// Returns the name of a row for reports: "upper limit of 'elbow'".
std::string name_of(const System& system, const BoundedRow& row);

}  // namespace amontons
