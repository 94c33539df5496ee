#pragma once

#include "amontons/math/effort.h"
#include "amontons/math/stopwatch.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/models/islands/islandwise_solver.h"
#include "amontons/simulation/stepping/assembly.h"
#include "amontons/simulation/stepping/joint_rows.h"
#include "amontons/simulation/stepping/step_evaluation.h"
#include "amontons/simulation/stepping/time_stepping_settings.h"
#include "amontons/simulation/system/step_report.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <span>

namespace amontons {

/// Assembles the problem of a step, with the bounded rows that belong to it, and solves it.
class StepSolver {
 public:
  /// @param pool  shares the islands of a step, if given.
  StepSolver(const System& system, const ContactModel& model, const TimeSteppingSettings& settings,
             ThreadPool* pool)
      : system_(&system),
        settings_(&settings),
        joint_rows_(system, settings.joint_friction == JointFriction::Coupled,
                    model.traits().needs_all_rows),
        asked_(model.traits().law.kind),
        solver_(model, pool) {}

  const JointRows& joint_rows() const { return joint_rows_; }

  /// Selects the servos that were rows in the last step; the free motion must be without them.
  void begin(const State& state) { joint_rows_.begin(state, selection_); }
  /// @param kept     marks trees whose motion stays (FreeMotionOptions).
  /// @param coupled  trees whose inertial forces belong to the end of the step, or null.
  FreeMotionOptions free_motion_options(std::span<const char> kept = {},
                                        const CoupledInertia* coupled = nullptr) const {
    return {selection_.servos, settings_->joint_friction, nullptr, kept, coupled};
  }
  /// Solves a problem that is a part of the step's.
  CertifiedSolution solve_part(const ContactProblem& part, const Eigen::VectorXd& warm_start) {
    return solver_.solve(part, warm_start, settings_->tolerance);
  }

  /// Solves with the selected bounded rows, and again while the solution violates others. Fills
  /// problem, law_asked, solution, certificate and solve_time_s of the report, whose step and
  /// evaluation_velocity are set.
  /// @param start       kinematics of the state.
  /// @param evaluation  evaluation of the problem; at the same state, or ahead.
  /// @param evaluate    repeats the evaluation with other servos as rows.
  template <typename Evaluate>
  void solve(const State& state, const SystemKinematics& start, const StepEvaluation& evaluation,
             StepReport& report, const Evaluate& evaluate);

 private:
  void assemble_problem(const State& state, const SystemKinematics& start,
                        const StepEvaluation& evaluation, StepReport& report) const;
  void solve_problem(const State& state, const SystemKinematics& start, StepReport& report);
  /// Solves the problem of the report, as it is, and certifies the solution.
  void solve_once(const SystemKinematics& start, StepReport& report);
  /// Leaves the errors of joints in this step where their correction throws bodies, and the motion
  /// without it is slower.
  void leave_thrown_correction(const SystemKinematics& start, StepReport& report);
  /// Says that the solution passes limits or efforts, for which no effort is left.
  static void leave_rows(StepReport& report);

  const System* system_;
  const TimeSteppingSettings* settings_;
  JointRows joint_rows_;
  JointRowSelection selection_;
  LawKind asked_;
  IslandwiseSolver solver_;
  CertifiedSolution certified_;  // memory for the next solution
  Eigen::VectorXd warm_start_;   // impulses of the last step, or empty
};

template <typename Evaluate>
void StepSolver::solve(const State& state, const SystemKinematics& start,
                       const StepEvaluation& evaluation, StepReport& report,
                       const Evaluate& evaluate) {
  report.solve_time_s = 0.0;
  joint_rows_.exclude_trees(evaluation.integrated, selection_);
  joint_rows_.select_limits(state, start, evaluation.free_motion.velocity, report.step, selection_);
  // Bound: each pass adds at least one row; and the effort.
  while (true) {
    assemble_problem(state, start, evaluation, report);
    solve_problem(state, start, report);
    const JointRows::Missing missing =
        joint_rows_.extend(start, report.solution.velocity, report.step, selection_);
    if (missing == JointRows::Missing::Nothing) return;
    if (!has_effort()) return leave_rows(report);
    if (missing != JointRows::Missing::Servos) continue;
    evaluate();
    joint_rows_.exclude_trees(evaluation.integrated, selection_);
  }
}

}  // namespace amontons
