#include "amontons/simulation/stepping/step_solver.h"

#include "amontons/math/step_times.h"
#include "amontons/simulation/stepping/correction_limits.h"
#include "amontons/simulation/stepping/point_speeds.h"
#include "amontons/simulation/system/warm_start.h"

#include <optional>
#include <utility>
#include <vector>

namespace amontons {

void StepSolver::assemble_problem(const State& state, const SystemKinematics& start,
                                  const StepEvaluation& evaluation, StepReport& report) const {
  const TimedPart part(StepPart::Assembly);
  assemble(*system_, evaluation, state.v, report.evaluation_velocity, state.time,
           settings_->parameters(report.step, *system_), report.problem);
  // Bounded rows always belong to the start of the step, where their gaps are known.
  joint_rows_.assemble(selection_, start, report.step, report.problem);
  limit_corrections(*system_, start, report.problem);
}

void StepSolver::solve_problem(const State& state, const SystemKinematics& start,
                               StepReport& report) {
  const TimedPart part(StepPart::Solve);
  const Stopwatch watch;
  // The time of the solve includes its certificate.
  transport_warm_start(state, report.problem, warm_start_);
  solve_once(start, report);
  // Without contacts limit_corrections() bounds what a correction moves.
  if (!report.solution.impulses.isZero(0.0) &&
      is_thrown_by_correction(*system_, start, report.problem, report.solution.velocity)) {
    leave_thrown_correction(start, report);
  }
  report.law_asked = asked_;
  report.solve_time_s += watch.seconds();
}

void StepSolver::solve_once(const SystemKinematics& start, StepReport& report) {
  // Only overlaps ask how fast bodies are.
  std::optional<PointSpeeds> speeds;
  if (report.problem.opens_overlaps()) speeds.emplace(*system_, start);
  solver_.solve(report.problem, warm_start_, settings_->tolerance, speeds ? &*speeds : nullptr,
                certified_);
  std::swap(report.solution, certified_.solution);
  report.certificate = certified_.certificate;
}

void StepSolver::leave_thrown_correction(const SystemKinematics& start, StepReport& report) {
  if (!has_effort()) return;
  const ContactSolution thrown = report.solution;
  const Certificate certificate = report.certificate;
  const Eigen::VectorXd correction = report.problem.joint_correction;
  report.problem.joint_correction = Eigen::VectorXd::Zero(report.problem.joint_error.size());
  solve_once(start, report);
  const bool is_slower =
      !is_thrown_by_correction(*system_, start, report.problem, report.solution.velocity);
  std::vector<SolveAttempt> attempts = thrown.attempts;
  if (is_slower && (report.certificate.holds || !certificate.holds)) {
    attempts.push_back({"correction of joints", SolveStatus::Infeasible, 0, 0.0,
                        "it would throw bodies; the errors stay as they are in this step"});
    attempts.insert(attempts.end(), report.solution.attempts.begin(),
                    report.solution.attempts.end());
    report.solution.attempts = std::move(attempts);
    report.solution.iterations += thrown.iterations;
    return;
  }
  report.problem.joint_correction = correction;
  report.solution = thrown;
  report.certificate = certificate;
}

void StepSolver::leave_rows(StepReport& report) {
  report.solution.attempts.push_back({"rows of joints", SolveStatus::IterationLimit, 0, 0.0,
                                      "limits or efforts that are passed, and no effort left"});
  report.solution.status = SolveStatus::IterationLimit;
  report.certificate.require(false);
}

}  // namespace amontons
