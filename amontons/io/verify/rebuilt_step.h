#pragma once

#include "amontons/io/run/run_row.h"
#include "amontons/simulation/events/event_evaluation.h"
#include "amontons/simulation/stepping/infeasibility.h"
#include "amontons/simulation/stepping/joint_rows.h"
#include "amontons/simulation/stepping/step_evaluation.h"
#include "amontons/simulation/stepping/time_stepping_settings.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <memory>
#include <string>

namespace amontons::io {

/// The contact problem behind a row of a run, made anew from the scene and the state in which the
/// step began. The run's own choices are taken from the row: which limits and servos are rows,
/// which pairs of shapes are in sustained contact, which contacts bounce.
class RebuiltStep {
 public:
  /// @throws std::invalid_argument naming what is wrong with the scene.
  explicit RebuiltStep(const Scene& scene);

  /// Takes the commands recorded, which act from then on.
  /// @throws std::invalid_argument if they are none of this system.
  void set_commands(const RunRow& row);

  /// Makes the problem of a row whose commands are set.
  void rebuild(const RunRow& row);

  const System& system() const { return system_; }
  const TimeSteppingSettings& settings() const { return settings_; }
  /// Whether steps end where events are, event-driven or hybrid.
  bool ends_at_events() const { return events_ != nullptr; }

  /// Of the step rebuilt last, evaluated ahead or at the start as its model wants it.
  const ContactProblem& problem() const { return problem_; }
  const FreeMotion& free_motion() const { return evaluation_.free_motion; }
  const SystemKinematics& start() const { return start_kinematics_; }

  /// Where that step ends with the velocity recorded [nq].
  Eigen::VectorXd end_positions(const RunRow& row);

  /// Whether that velocity asks for no limit or effort bound besides those that are rows.
  bool has_all_rows(const RunRow& row) const;

  /// Kinematics and contacts of the state that a row ends with.
  const StepEvaluation& evaluate_end(const RunRow& row);
  /// What overlaps there, and errors of joints.
  Infeasibility infeasibility() const;

  /// "a and b, contact 3", or what a row bounds, or a joint; empty if there is none.
  std::string contact_name(int index) const;
  std::string bounded_name(int row) const;
  std::string joint_name(int row) const;

 private:
  void evaluate(const RunRow& row);
  void keep_recorded(const RunRow& row);

  System system_;
  TimeSteppingSettings settings_;
  JointRows joint_rows_;
  JointRowSelection selection_;
  ContactDetector detector_;
  std::unique_ptr<EventEvaluator> events_;  // null in time stepping
  bool is_hybrid_ = false;
  StepEvaluation evaluation_, end_;  // where the problem was evaluated; after the step
  SystemKinematics start_kinematics_;
  ContactProblem problem_;
};

}  // namespace amontons::io
