#pragma once

#include "amontons/simulation/forces/energy.h"
#include "amontons/simulation/stepping/joint_rows.h"
#include "amontons/simulation/stepping/step_evaluation.h"
#include "amontons/simulation/system/step_report.h"
#include "amontons/simulation/system/system.h"

#include <vector>

namespace amontons {

/// Writes what a step has left behind into its certificate: the infeasibility, and overlaps that no
/// contact of the problem announced, which take the certificate back.
/// @param end      at the end of the step; its contacts hold every overlap.
/// @param touched  contacts from before the step that need no announcement, sorted by key.
void finish_certificate(const System& system, const JointRows& joint_rows,
                        const StepEvaluation& end, const std::vector<Contact>& touched,
                        StepReport& report);

/// Shapes that overlap at the end without a contact in the problem: the largest sum of two such
/// shapes' speeds in the step's answer, at which its contacts should have been sought [m/s]; 0: all
/// were found.
/// @param start  kinematics before the step.
double speed_of_missed(const System& system, const SystemKinematics& start,
                       const StepEvaluation& end, const StepReport& report);

/// Fills the report of a state that no step has led to (Stepper::report_initial()).
/// @param at  evaluated there.
void report_state(const System& system, const JointRows& joint_rows, const StepEvaluation& at,
                  const State& state, StepReport& report);

}  // namespace amontons
