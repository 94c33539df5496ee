#pragma once

#include "amontons/simulation/forces/energy.h"
#include "amontons/simulation/stepping/joint_rows.h"
#include "amontons/simulation/stepping/step_evaluation.h"
#include "amontons/simulation/system/step_report.h"
#include "amontons/simulation/system/system.h"

#include <vector>

namespace amontons {

/// Returns the places, among the contacts at the end of a step, of overlaps that no contact of its
/// problem announced.
/// @param touched  contacts known from the start that need no announcement, sorted by key.
std::vector<std::size_t> missed_contacts(const std::vector<Contact>& end,
                                         const std::vector<Contact>& announced,
                                         const std::vector<Contact>& touched);

/// Completes the certificate of a step with the state at its end: the infeasibility, and overlaps
/// that no contact of the problem announced. Such an overlap makes the certificate fail.
/// @param end      evaluation at the end of the step; its contacts hold every overlap.
/// @param touched  contacts known from the start of the step that need no announcement, sorted by
/// key.
void finish_certificate(const System& system, const JointRows& joint_rows,
                        const StepEvaluation& end, const std::vector<Contact>& touched,
                        StepReport& report);

/// Adds to the missed contacts the pairs that passed through each other within a time step, or
/// touched without a contact (passages.h). Call it after finish_certificate().
/// @param state     at the start of the step.
/// @param start     its kinematics.
/// @param left_out  pairs whose contacts were left out, since they would pass each other.
/// @param end       evaluation at the end of the step.
void certify_passages(const System& system, const State& state, const SystemKinematics& start,
                      const std::vector<PairOfShapes>& left_out, const StepEvaluation& end,
                      StepReport& report);

/// Returns the closing speed at which all contacts would have been found [m/s]; 0: all were found.
/// Missed shapes overlap at the end without a contact in the problem, and those whose contacts were
/// left out may have touched. The result is the largest sum of the speeds of two such shapes in the
/// step's solution.
/// @param start  kinematics at the start of the step.
double closing_speed_of_missed_contacts(const System& system, const SystemKinematics& start,
                                        const std::vector<PairOfShapes>& left_out,
                                        const StepEvaluation& end, const StepReport& report);

/// Fills the report of a state that no step has led to (Stepper::report_initial()).
/// @param at  evaluation of that state.
void report_state(const System& system, const JointRows& joint_rows, const StepEvaluation& at,
                  const State& state, StepReport& report);

}  // namespace amontons
