#pragma once

#include "amontons/io/run_row.h"
#include "amontons/io/verify_figures.h"
#include "amontons/models/contact_model.h"
#include "amontons/simulation/event_evaluation.h"
#include "amontons/simulation/joint_rows.h"
#include "amontons/simulation/time_stepping_settings.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace amontons::io {

/// Rebuilds the step behind a row of a run and compares.
class StepVerifier {
 public:
  /// @throws std::invalid_argument naming what is wrong with the scene.
  StepVerifier(const Scene& scene, VerifyFigures& figures);

  const System& system() const { return system_; }
  void check_initial(const RunRow& row);
  void check_step(const RunRow& row);

 private:
  /// Contacts and bounded rows of the step, evaluated anew; `ahead` or at the start as the model
  /// wants it. Which limits and servos are rows is the run's own choice, and checked.
  void rebuild(const RunRow& row);
  void evaluate(const RunRow& row);
  void keep_recorded(const RunRow& row);
  void check_motion(const RunRow& row);
  void check_times(const RunRow& row);
  void check_body_poses(const RunRow& row);
  /// False if the contacts differ, so that nothing else can be judged.
  bool check_contacts(const RunRow& row);
  void check_contact(const RunContact& recorded, std::size_t index);
  bool check_bounded_rows(const RunRow& row);
  void check_contact_velocities(const RunRow& row);
  void check_laws(const RunRow& row);
  void check_claim(const RunRow& row, const Certificate& certificate);
  void check_after(const RunRow& row);
  const SystemKinematics& start_kinematics(const RunRow& row);
  std::string contact_name(int index) const;
  std::string joint_name(int row) const;
  std::string bounded_name(int row) const;

  System system_;
  TimeSteppingSettings settings_;
  JointRows joint_rows_;
  JointRowSelection selection_;
  ContactDetector detector_;
  std::unique_ptr<EventEvaluator> events_;  // null in time stepping
  bool is_hybrid_ = false;
  State initial_state_;
  VerifyFigures* figures_;
  StepEvaluation evaluation_, end_;  // where the problem was evaluated; after the step
  SystemKinematics start_kinematics_;
  ContactProblem problem_;
  ContactSolution solution_;
};

}  // namespace amontons::io
