#pragma once

#include "amontons/io/run/run_row.h"
#include "amontons/simulation/events/event_evaluation.h"
#include "amontons/simulation/events/sliding_forces.h"
#include "amontons/simulation/forces/energy.h"
#include "amontons/simulation/stepping/infeasibility.h"
#include "amontons/simulation/stepping/joint_rows.h"
#include "amontons/simulation/stepping/post_stabilization.h"
#include "amontons/simulation/stepping/step_evaluation.h"
#include "amontons/simulation/stepping/time_stepping_settings.h"
#include "amontons/simulation/system/state.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace amontons::io {

/// Rebuilds the contact problem behind a row of a run, from the scene and the state in which the
/// step began.
///
/// Four choices of the run are taken from the row: which limits and servos are rows, which pairs of
/// shapes are in sustained contact, which contacts bounce, and whether errors of joints are left.
class RebuiltStep {
 public:
  /// @throws std::invalid_argument naming what is wrong with the scene.
  explicit RebuiltStep(const Scene& scene);

  /// Gives the system the recorded commands, which act from then on.
  /// @throws std::invalid_argument if they are not commands of this system.
  void set_commands(const RunRow& row);

  /// Makes the contact problem of a row whose commands are set.
  void rebuild(const RunRow& row);

  const System& system() const { return system_; }
  const TimeSteppingSettings& settings() const { return settings_; }
  double acceptable_tolerance() const { return acceptable_tolerance_; }  ///< of the scene [-]
  /// Returns true if steps end where events are: in event-driven or hybrid simulation.
  bool ends_at_events() const { return events_ != nullptr; }
  bool is_hybrid() const { return is_hybrid_; }  ///< true in hybrid simulation

  /// Returns the problem of the step rebuilt last, evaluated ahead or at the start as the model
  /// demands.
  const ContactProblem& problem() const { return problem_; }
  const FreeMotion& free_motion() const { return evaluation_.free_motion; }
  /// Returns true if the step rebuilt last damps a tree.
  bool damps(std::size_t tree) const {
    return !free_motion().inertial_damping.empty() &&
           free_motion().inertial_damping[tree].size() > 0;
  }
  /// Returns true for a step by velocities, not one between events.
  bool is_by_velocities() const { return !events_; }
  const SystemKinematics& start() const { return start_kinematics_; }

  /// Holds velocities that a step expects from the impulses of the step before it.
  struct ExpectedMotion {
    Eigen::VectorXd coupled;  ///< w to which inertial forces belong [nv]
    Eigen::VectorXd free;     ///< v_free with these forces [nv]
    /// False: the step before is unknown, so that this holds for single bodies alone.
    bool holds_for_all = true;
  };
  /// Returns those of the step rebuilt last. The step before is known where its row was the last
  /// one given to forget_impulses() or keep_impulses().
  ExpectedMotion expected_motion(const RunRow& row) const;
  /// Notes that the state of a row has no impulses of a step before it.
  void forget_impulses(const RunRow& row);
  /// Keeps the impulses of the step rebuilt last for the next one.
  void keep_impulses(const RunRow& row);

  /// Returns the positions where that step ends with the recorded velocity [nq].
  Eigen::VectorXd end_positions(const RunRow& row);
  /// Returns the energies of the step, with those of the state that the row ends with.
  StepEnergies energies(const RunRow& row, const SystemKinematics& end) const;

  /// Returns true if that velocity passes no limit or effort bound but those that are rows.
  bool has_all_rows(const RunRow& row) const;

  /// Computes kinematics and contacts of the state that a row ends with.
  const StepEvaluation& evaluate_end(const RunRow& row);
  const StepEvaluation& end() const { return end_; }  ///< the last one of evaluate_end()
  /// Measures overlaps and errors of joints there [m or rad]. Call evaluate_end() first.
  Infeasibility infeasibility() const;

  /// Returns the overlaps where the step ends that no contact of its problem announced, as places
  /// in the contacts of evaluate_end(). Call that first.
  std::vector<std::size_t> missed_contacts(const RunRow& row);

  /// Returns the number of pairs of shapes that pass through each other within a time step. Call
  /// evaluate_end() first.
  std::size_t num_passages(const RunRow& row) const;

  // Events of the step rebuilt last, in event-driven and hybrid simulation.

  /// Returns the number of contacts whose forces the integrator finds.
  std::int32_t num_by_forces() const;
  /// Returns the solvability of the law of sliding contacts that the step reports.
  SlidingLaw sliding_law(const RunRow& row);
  /// Returns true if the hybrid method stops sustained contacts in an impact at the step's start.
  bool is_steady_impact(const RunRow& row);

  /// Names a contact of the problem: "a and b, contact 3"; empty if there is none.
  std::string contact_name(int index) const;
  /// Names the limit or bound of a bounded row; empty if there is none.
  std::string bounded_name(int row) const;
  /// Names the joint of a row of J; empty if there is none.
  std::string joint_name(int row) const;

 private:
  /// Makes all that depends on the properties of the system.
  void prepare();
  /// Evaluates forces and contacts as the method of the run does.
  void evaluate(const RunRow& row);
  /// Finds which of the trees that the row couples it does not damp. @returns true if there are
  /// any.
  bool find_undamped_trees(const RunRow& row);
  /// Evaluates the contacts that touch at the start of the step.
  void evaluate_touching(const RunRow& row);
  /// Returns the rows of joints of the model that solved a step: impacts have their own.
  const JointRows& joint_rows_of(const RunRow& row) const;
  /// Returns the speed below which nothing bounces [m/s], in an impact.
  double rest_speed() const;
  /// Keeps those contacts of an impact that the row records.
  void keep_recorded_contacts(const RunRow& row);
  /// Returns true if the recorded velocity makes no correction of the joints' errors.
  bool leaves_correction(const RunRow& row) const;

  System system_;
  SimulationSettings simulation_;
  TimeSteppingSettings settings_;
  JointRows joint_rows_, rows_of_impacts_;
  JointRowSelection selection_;
  ContactDetector detector_;
  std::optional<PostStabilization> post_stabilization_;
  std::unique_ptr<EventEvaluator> events_;  // null in time stepping
  std::optional<SlidingForces> sliding_forces_;
  bool is_hybrid_ = false, is_impulse_based_ = false;
  double acceptable_tolerance_ = 0.0;
  State before_;                     // at the end of the last row whose impulses are known
  CoupledInertia coupled_;           // of the step rebuilt last
  StepEvaluation evaluation_, end_;  // where the problem was evaluated; after the step
  StepEvaluation touching_;          // contacts that touch at the start; event-driven only
  ContactProblem touching_problem_;
  SystemKinematics start_kinematics_;
  ContactProblem problem_;
};

}  // namespace amontons::io
