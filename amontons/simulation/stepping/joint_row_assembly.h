#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

#include <array>
#include <string>
#include <vector>

namespace amontons {

/// Which bounded rows a step has besides those of dry friction, which every joint with friction
/// has.
struct JointRowSelection {
  std::vector<char> lower, upper;  ///< limits, by joint coordinate
  std::vector<char> servos;        ///< servos that are rows, not part of M
  /// Trees whose joints have no rows in this step (StepEvaluation::integrated); empty: none.
  std::vector<char> integrated;
};

/// Whether a coordinate has dry friction.
inline bool has_friction(const CoordinateDynamics& coordinate) {
  return coordinate.dynamics.coulomb_friction > 0.0;
}

/// Whether its spring is a row: along rows of J it would tie blocks of M together.
inline bool has_spring_row(const CoordinateDynamics& coordinate) {
  return coordinate.loop >= 0 && coordinate.dynamics.stiffness > 0.0;
}

/// The same of its damper.
inline bool has_damper_row(const CoordinateDynamics& coordinate) {
  return coordinate.loop >= 0 && coordinate.dynamics.viscous_friction > 0.0;
}

/// Its limits [rad or m], or null.
inline const std::array<double, 2>* limits_of(const CoordinateDynamics& coordinate) {
  const bool has_position = coordinate.q_index >= 0 || coordinate.loop >= 0;
  return has_position && coordinate.dynamics.limits ? &*coordinate.dynamics.limits : nullptr;
}

/// Writes the rows of a selection (contact/bounded_row.h) into a problem, sorted by key: limits,
/// friction, servos; along rows of J springs and dampers, too.
/// @param friction  whether dry friction and such dampers are rows.
/// @param start     kinematics at the start of the step.
/// @param h         [s]; an impact, 0, knows limits alone.
void add_joint_rows(const System& system, const JointRowSelection& selection, bool friction,
                    const SystemKinematics& start, double h, ContactProblem& problem);

/// Names a row for reports: "upper limit of 'elbow'".
std::string name_of(const System& system, const BoundedRow& row);

}  // namespace amontons
