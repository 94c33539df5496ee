#pragma once

#include "amontons/models/decorators/prescribed_impulse_model.h"
#include "amontons/simulation/events/system_motion.h"
#include "amontons/simulation/smooth/force_motion.h"
#include "amontons/simulation/smooth/smooth_islands.h"
#include "amontons/simulation/smooth/smooth_motion.h"
#include "amontons/simulation/stepping/step_evaluation.h"
#include "amontons/simulation/system/pair_of_shapes.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace amontons {

/// Share of a length beyond which an instant is its end.
inline constexpr double kSameInstantShare = 1.0 - 1e-9;

/// Sets the restitution of all contacts of an evaluation to zero: sustained contacts of the hybrid
/// method do not bounce.
void zero_restitution(StepEvaluation& evaluation);

/// Evaluates the problems of event-driven simulation. Stepper and verification share it.
///
/// In a *step* some pairs of shapes are in sustained contact. Some trees move at the velocity
/// level, q (+) h v+ with v_free as in time stepping. They are trees that such a pair touches,
/// trees that are not smooth, and trees with a joint that rests on a limit, or that reaches one
/// before the end of the step. All others fly: an integrator moves them, v_free is the velocity at
/// its end, and no contact acts. An *impact* takes no time: M and v at the instant, all shapes that
/// touch.
///
/// Contacts may be sustained by forces (SustainedContact). Smooth trees whose shapes touch fixed
/// bodies at rest or each other then move as in force_motion.h. M, J and gaps of their contacts are
/// those of the end of the step, and their impulses are h times the forces there. The certificate
/// therefore compares these impulses with the velocities of the end; v_free is the rest of the
/// motion. A pair of shapes that the law opens is not sustained. Where forces have no solution, the
/// trees move at the velocity level. So do trees that an integrator cannot move within the number
/// of its steps (FreeMotion::integration_status). See docs/theory/events.md.
class EventEvaluator {
 public:
  EventEvaluator(const System& system, const SimulationSettings& settings);

  /// Evaluates an instant; contacts are those within twice the contact tolerance.
  void evaluate_impact(const StepStart& start, StepEvaluation& evaluation);

  /// Evaluates a step; contacts are all those that time stepping would have.
  void evaluate_step(const StepStart& start, const FreeMotionOptions& options,
                     StepEvaluation& evaluation);

  /// Keeps the contacts of the given pairs [sorted] in an evaluation of evaluate_step(), and
  /// removes all others. Trees without contacts then fly.
  /// @param by_forces  true: forces may sustain contacts, if the scene asks for that.
  void keep_sustained_contacts(const StepStart& start, const std::vector<PairOfShapes>& pairs,
                               bool by_forces, StepEvaluation& evaluation);

  /// Returns the pairs of those that the law between forces and accelerations opens at the start.
  const std::vector<PairOfShapes>& opened_pairs() const { return opened_pairs_; }
  /// Returns how the motion by forces of that step ended (ForceMotion::start()); NotRun without
  /// one.
  SolveStatus force_status() const { return force_status_; }
  /// Returns the effort of integrators for the trees that fly in that step, beyond 20 steps for
  /// each tree (TreeMotion::effort()), and of the laws of its motion by forces.
  int effort() const { return effort_; }

  /// Returns the estimated error of that step's motion by forces (StepEvents::force_error).
  double force_error() const;
  /// Returns the impulses of contacts of that step whose forces are known, sorted by key.
  const std::vector<PrescribedImpulseModel::Entry>& given_impulses() const {
    return prescribed_impulses_;
  }

  /// Returns the time at which the motion by forces ends [s], or the whole step.
  double end_of_motion(double step) const {
    return moves_by_forces_ ? by_forces_->end_of_motion() : step;
  }

  /// Returns when a joint of a tree that would fly first reaches a limit within that step, which
  /// its tree then takes at the velocity level [s]; infinity if none does. A joint that leaves a
  /// limit for less than the minimum step counts as at rest on it.
  double time_of_limit() const { return first_limit_; }

  /// Returns true if a joint of a tree that may fly has reached a limit and moves on: an impact.
  bool approaches_limit(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;

  /// Returns the relative speed below which touching shapes neither approach nor slide [m/s]. It
  /// has a value only where forces sustain contacts.
  std::optional<double> touching_speed() const;

  /// Holds the solvability of the law between forces and accelerations at the touching contacts.
  /// Islands are assessed one by one, where forces sustain contacts.
  struct SlidingAssessment {
    SlidingLaw law = SlidingLaw::Determined;
    std::vector<ContactKey> contacts;  ///< sorted, of islands whose motion it does not determine
  };
  /// Returns that assessment at the contacts that touch at the start.
  SlidingAssessment assess_sliding(const StepStart& start, const StepEvaluation& touching);

  /// Returns the positions at the end of a step that hold() has evaluated.
  Eigen::VectorXd end_positions(const StepStart& start, const Eigen::VectorXd& v_end);

  /// Fills the motion of the trees that fly in a step whose contacts are not solved yet: those that
  /// no pair [sorted] in sustained contact touches.
  /// @param is_flying  [articulations] says which trees these are.
  void begin_flights(const StepStart& start, const std::vector<PairOfShapes>& sustained,
                     SystemMotion& motion, std::vector<char>& is_flying);

  /// Fills the motion during that step. The references must stay valid.
  void begin_motion(const StepStart& start, const Eigen::VectorXd& v_end, SystemMotion& motion);

 private:
  /// Returns the largest rate towards a limit that a joint of the tree has reached [rad/s or m/s].
  double approach_at_limits(std::size_t articulation, const Eigen::VectorXd& q,
                            const Eigen::VectorXd& v) const;
  /// Returns true if an integrator moves the tree unless a contact is sustained on it.
  bool may_be_integrated(std::size_t articulation, const StepStart& start) const;
  /// Returns the islands of touching smooth trees.
  std::vector<SmoothIsland> smooth_islands(const StepStart& start,
                                           const SystemKinematics& kinematics,
                                           const std::vector<Contact>& contacts) const;
  /// Starts the flight of a tree and counts its effort.
  SolveStatus start_flight(std::size_t articulation, const StepStart& start);
  /// Integrates a tree through the step; returns false if it moves at the velocity level.
  bool integrate_tree(int articulation, const StepStart& start, FreeMotion& motion);
  /// Removes the contacts of pairs that the law between forces and accelerations opens.
  void remove_opened(const StepStart& start, StepEvaluation& evaluation);
  /// Integrates the islands whose contacts forces sustain.
  void move_by_forces(const StepStart& start, StepEvaluation& evaluation);
  /// Writes the end of that motion into the evaluation.
  void use_end_of_forces(const StepStart& start, StepEvaluation& evaluation);

  const System* system_;
  double contact_tolerance_, touching_speed_, minimum_step_;
  double leaving_speed_;  // of a joint that leaves or meets its limit in minimum_step_
  ContactDetector detector_, touch_detector_;
  std::vector<std::unique_ptr<SmoothMotion>> smooth_;  // by articulation; null: not smooth
  std::vector<char> is_integrated_;  // [articulations] in the step of the last hold()
  int max_steps_ = 0;                // of an integrator, in one motion of one tree
  int effort_ = 0;
  double first_limit_ = std::numeric_limits<double>::infinity();
  std::vector<PairOfShapes> opened_pairs_;
  std::unique_ptr<ForceMotion> by_forces_;  // null: contacts are sustained at the velocity level
  bool moves_by_forces_ = false;            // in the step of the last hold()
  SolveStatus force_status_ = SolveStatus::NotRun;
  std::vector<PrescribedImpulseModel::Entry> prescribed_impulses_;
};

}  // namespace amontons
